"""Replaying the sample: documents in as their times come, lifecycle events out as they happen."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from service.importers.target import HttpTarget, TargetError, patiently
from service.times import format_moment, now, parse_moment

from .import_shown import look_at
from .output import CommandError, printable, say, warn

SETTINGS = {"half_life": "2d", "window": "21d"}
TICK = 0.25  # seconds between two looks at the clock
SHOWN = {"thread.born": "born", "thread.died": "died", "thread.revived": "came back"}
PLACES = (Path(__file__).parents[1] / "examples", Path(__file__).parents[2] / "examples")  # installed; from the sources
PATIENCE = 300.0  # seconds for the worker to place the last documents
MOST_STREAMS = 100


class Letter(NamedTuple):
    """A document of the sample; arrives: microseconds since 1970, later than its time if it is late."""

    arrives: int
    line: bytes


def replay(url: str, key: str | None, seconds: float) -> None:
    """Send the sample within so many seconds and tell what happens."""
    letters = sample(now())
    with HttpTarget(url, key) as target, httpx.Client(base_url=url, headers=_headers(key), timeout=60) as client:
        try:
            stream = _new_stream(target)
            say(f"{len(letters)} mails and news items of ten weeks go into stream {stream} in about {seconds:g} s.")
            say("The worker gets ready; on the first start it compiles for about half a minute.\n")
            teller = _Teller(client, stream)
            _post(target, stream, letters[:1])
            _wait(target, stream, teller)
            for batch in _paced(letters[1:], seconds):
                _post(target, stream, batch)
                teller.tell()
            _wait(target, stream, teller)
            say("\n" + teller.summary(len(letters)) + "\n")
            say(look_at(target.largest_threads(stream, 5), stream, url))
            say(_next(url, stream))
        except (TargetError, httpx.HTTPError) as error:
            raise CommandError(f"the replay stopped: {error}") from error


def sample(end: int) -> list[Letter]:
    """The documents of the sample in the order of arrival, shifted in time so that the last one is at the end."""
    path = next((place / "demo.jsonl" for place in PLACES if (place / "demo.jsonl").exists()), None)
    if path is None:
        raise CommandError("examples/demo.jsonl is missing; install threadline again")
    documents = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    shift = end - max(parse_moment(document["time"]) for document in documents)
    letters, arrives = [], 0
    for document in documents:
        at = parse_moment(document["time"]) + shift
        arrives = max(arrives, at)
        line = json.dumps(document | {"time": format_moment(at)}, ensure_ascii=False).encode()
        letters.append(Letter(arrives, line))
    return letters


def _post(target: HttpTarget, stream: str, letters: list[Letter]) -> None:
    if letters:
        patiently(lambda: target.post(stream, [letter.line for letter in letters], "reject"), warn)


def _headers(key: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def _new_stream(target: HttpTarget) -> str:
    """A stream of its own for this replay, since the sample's times are others each time."""
    for number in range(1, MOST_STREAMS):
        name = "demo" if number == 1 else f"demo-{number}"
        patiently(lambda: target.open_stream(name, SETTINGS), warn)  # noqa: B023
        if patiently(lambda: target.stats(name), warn)["accepted"] == 0:  # noqa: B023
            return name
    raise CommandError("there are too many streams of demos; delete some")


def _paced(letters: list[Letter], seconds: float) -> Iterator[list[Letter]]:
    """The letters that have arrived by each tick, the whole span within the seconds."""
    first, last = letters[0].arrives, letters[-1].arrives
    begin, sent = time.monotonic(), 0
    while sent < len(letters):
        clock = first + (last - first) * min((time.monotonic() - begin) / seconds, 1.0)
        due = next((i for i, letter in enumerate(letters) if letter.arrives > clock), len(letters))
        yield letters[sent:due]
        sent = due
        time.sleep(TICK)


class _Teller:
    """Says each birth, death and revival once."""

    def __init__(self, client: httpx.Client, stream: str) -> None:
        self._client, self._path = client, f"/v1/streams/{stream}"
        self._after = 0
        self._counts = dict.fromkeys(SHOWN.values(), 0)

    def tell(self) -> None:
        """What has happened since the last call."""
        while events := self._get(f"{self._path}/events", after=self._after, limit=500)["data"]:
            self._after = events[-1]["seq"]
            for event in events:
                if event["type"] in SHOWN:
                    self._say(event)

    def summary(self, documents: int) -> str:
        """How often what happened."""
        born, died, back = self._counts.values()
        return f"{documents} documents; {born} threads were born, {died} died, {back} came back."

    def _say(self, event: dict[str, Any]) -> None:
        what, thread = SHOWN[event["type"]], self._get(f"{self._path}/threads/{event['thread_id']}")
        if thread["size"]:  # else its documents have moved to others since, and it is nothing to look at
            self._counts[what] += 1
            say(printable(f"{event['occurred_at'][:10]}  {what:<9}  {event['thread_id']:<8} {thread['label']}"))

    def _get(self, path: str, **query: Any) -> dict[str, Any]:
        answer = self._client.get(path, params=query)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found


def _wait(target: HttpTarget, stream: str, teller: _Teller) -> None:
    """Until all documents are placed."""
    deadline = time.monotonic() + PATIENCE
    while patiently(lambda: target.stats(stream), warn)["pending"] and time.monotonic() < deadline:
        teller.tell()
        time.sleep(TICK)
    teller.tell()


def _next(url: str, stream: str) -> str:
    path = f"{url}/v1/streams/{stream}"
    return (
        f"\nWhy is the first mail where it is?\n  curl -s '{path}/documents/mail-001/why'\n"
        f"How long do threads live?\n  curl -s '{path}/lifespans?limit=3'\n"
        "Your own mail:\n  threadline import mbox FILE"
    )
