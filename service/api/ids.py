"""Ids in requests."""

from service.errors import Absent
from service.ids import parse_thread_id


def thread_number(thread: str | None) -> int | None:
    """The number of a thread that a filter names."""
    return None if thread is None else parse_thread_id(thread)


def thread_of_path(thread: str) -> int:
    """The number of the thread that a path names; raises Absent."""
    number = parse_thread_id(thread)
    if number is None:
        raise Absent
    return number


def thread_numbers(threads: str | None) -> list[int] | None:
    """The numbers of threads that a filter names, separated by commas."""
    if threads is None:
        return None
    return [number for name in threads.split(",") if (number := parse_thread_id(name)) is not None]
