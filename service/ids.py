"""Public ids: a prefix that says of what, and a ULID or, inside a stream, a number."""

import os
import re
import threading
import time

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32
RANDOM_BITS = 80
NUMBER = re.compile(r"(?:0|[1-9][0-9]{0,17})")


class _Clock:
    """Hands out ULID numbers that only rise, also when the clock of the machine is set back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def next(self) -> int:
        with self._lock:
            fresh = time.time_ns() // 1_000_000 << RANDOM_BITS | int.from_bytes(os.urandom(RANDOM_BITS // 8))
            stale = fresh >> RANDOM_BITS <= self._last >> RANDOM_BITS
            self._last = self._last + 1 if stale else fresh
            return self._last


_clock = _Clock()


def new_id(prefix: str) -> str:
    """A new id such as str_01J…; ids of one process sort in the order they were made."""
    number = _clock.next()
    return f"{prefix}_" + "".join(ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def thread_id(number: int) -> str:
    return f"thr_{number}"


def parse_thread_id(text: str) -> int | None:
    """The number in thr_12, or None if the text is no thread's id."""
    return int(text[4:]) if text.startswith("thr_") and NUMBER.fullmatch(text[4:]) else None


def event_id(seq: int) -> str:
    return f"evt_{seq}"
