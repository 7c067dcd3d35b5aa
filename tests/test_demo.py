"""The demo: a sample with births, deaths and revivals, into a service of its own or one that runs."""

import json
import os
import re
import subprocess
from pathlib import Path

from service.commands.demo_replay import sample
from service.times import now, parse_moment
from tests.live import COMMAND, ROOT, Live


def test_the_sample_ends_now_and_has_late_documents() -> None:
    end = now()
    letters = sample(end)
    documents = [json.loads(letter.line) for letter in letters]
    moments = [parse_moment(document["time"]) for document in documents]
    assert max(moments) == end
    assert len(documents) == len({document["id"] for document in documents}) >= 300
    assert len({document["text"] for document in documents}) == len(documents)
    assert [letter.arrives for letter in letters] == sorted(letter.arrives for letter in letters)
    assert sum(letter.arrives > moment for letter, moment in zip(letters, moments, strict=True)) >= 3
    assert 60 < (max(moments) - min(moments)) / 86_400e6 < 80


def test_the_demo_starts_a_service_and_tells_births_deaths_and_revivals(tmp_path: Path) -> None:
    environ = {key: value for key, value in os.environ.items() if not key.startswith("THREADLINE_")}
    environ |= {"TMPDIR": str(tmp_path), "THREADLINE_PORT": "0"}
    done = subprocess.run(
        [*COMMAND, "demo", "--seconds", "5", "--exit"],
        env=environ,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = re.search(r"(\d+) documents; (\d+) threads were born, (\d+) died, (\d+) came back\.", done.stdout)
    assert told
    documents, born, died, revived = map(int, told.groups())
    assert documents >= 300
    assert min(born, died, revived) >= 5
    assert done.stdout.count("  came back  ") == revived
    assert "threadline import mbox FILE" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_demo_uses_a_service_that_runs(tmp_path: Path) -> None:
    live = Live(tmp_path).start()
    try:
        live.environ["THREADLINE_URL"] = live.address
        done = live.run("demo", "--seconds", "2")
        assert done.returncode == 0, done.stderr
        size = live.client.get("/v1/streams/demo/stats").json()["accepted"]
        assert live.run("demo", "--seconds", "2").returncode == 0
        assert live.client.get("/v1/streams/demo-2/stats").json()["accepted"] == size
    finally:
        live.close()
