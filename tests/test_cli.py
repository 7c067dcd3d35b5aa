"""The command line as a user runs it, in a process of its own."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from core.metrics import b_cubed
from service.commands.output import printable
from service.commands.sample import duration

ROOT = Path(__file__).parent.parent
INBOX = ROOT / "examples" / "inbox.jsonl"


def threadline(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from service.cli import main; main()", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def write(path: Path, *lines: str) -> str:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_example_comes_out_in_its_threads() -> None:
    done = threadline("sample", str(INBOX), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    truth = json.loads((ROOT / "examples" / "inbox_truth.json").read_text())
    names = sorted(set(truth.values()))
    thread_of = {d: thread["thread"] for thread in found["threads"] for d in thread["documents"]}
    assert thread_of.keys() == truth.keys()
    score = b_cubed([names.index(truth[d]) for d in truth], [thread_of[d] for d in truth])  # type: ignore[arg-type]
    assert score.f1 > 0.85
    assert found["learned"].keys() == {"alpha", "half_life", "strength"}
    first = found["threads"][0]
    assert first.keys() == {"thread", "size", "born_at", "last_at", "top_words", "documents"}
    assert first["born_at"] == "2026-03-02T08:14:00Z"
    assert first["size"] == len(first["documents"])


@pytest.mark.parametrize("model", ["tdpm", "rcrp", "crp"])
def test_every_model_prints_a_table(model: str) -> None:
    done = threadline("sample", str(INBOX), "--model", model, "--sweeps", "9")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].split() == ["thread", "size", "from", "to", "top", "words"]
    assert re.search(r"160 documents in \d+ threads \(alpha ", done.stdout)
    assert ("half-life" in done.stdout) == (model != "crp")


def test_what_is_set_is_kept_and_the_seed_repeats() -> None:
    options = ["sample", str(INBOX), "--json", "--sweeps", "6", "--alpha", "2", "--half-life", "3d", "--strength", "50"]
    first, second = threadline(*options), threadline(*options)
    assert first.stdout == second.stdout
    assert json.loads(first.stdout)["learned"] == pytest.approx(
        {"alpha": 2.0, "half_life": 3 * 86_400.0, "strength": 50.0}
    )


def test_numbers_as_times_stay_numbers(tmp_path: Path) -> None:
    lines = [json.dumps({"id": i, "time": i * 2.5, "text": "river bridge flood"}) for i in range(4)]
    done = threadline("sample", write(tmp_path / "numbers.jsonl", *lines), "--json", "--sweeps", "3")
    assert json.loads(done.stdout)["threads"][0]["born_at"] == 0.0


GOOD = '{"id": "a", "time": "2026-03-02T08:14:00Z", "text": "hello there"}'


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "has no documents"),
        (["{nonsense"], "line 1 is not JSON"),
        (["[" * 100_000], "line 1 is not JSON"),
        ([GOOD, '{"id": "b", "text": "x"}'], "line 2 has no id, time and text"),
        (["[1, 2]"], "line 1 has no id, time and text"),
        ([GOOD, GOOD], "more than one document with id 'a'"),
        (['{"id": "a", "time": "yesterday", "text": "x"}'], "neither a number nor ISO 8601"),
        (['{"id": "a", "time": "2026-03-02T08:14:00", "text": "x"}'], "has no offset; append Z"),
        (['{"id": "a", "time": NaN, "text": "x"}'], "time is not finite"),
        (['{"id": "a", "time": null, "text": "x"}'], "neither a number nor ISO 8601"),
        (['{"id": "a", "time": true, "text": "x"}'], "neither a number nor ISO 8601"),
        (['{"id": "a", "time": 1, "text": 5}'], "id and text must be strings"),
        ([GOOD, '{"id": "b", "time": 3, "text": "x"}'], "dates for some documents and numbers for others"),
        (['{"id": "a", "time": 1, "text": "1 2 3"}'], "no document has a word"),
    ],
)
def test_bad_files_get_one_sentence(tmp_path: Path, lines: list[str], message: str) -> None:
    done = threadline("sample", write(tmp_path / "bad.jsonl", *lines))
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_missing_and_binary_files_get_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for path, message in (
        (tmp_path / "none", "does not exist"),
        (tmp_path / "binary", "cannot be read"),
        (tmp_path, "cannot"),
    ):
        done = threadline("sample", str(path))
        assert (done.returncode, message in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize(("text", "seconds"), [("90", 90.0), ("1.5h", 5400.0), ("3d", 259_200.0), ("2w", 1_209_600.0)])
def test_durations(text: str, seconds: float) -> None:
    assert duration(text) == seconds


def test_bad_duration_is_refused() -> None:
    done = threadline("sample", str(INBOX), "--half-life", "soon")
    assert done.returncode == 2
    assert "is not a duration" in done.stderr


def test_terminal_escapes_are_not_obeyed() -> None:
    assert printable("a\x1b[2Jb\r\n") == "a�[2Jb��"


def test_readme_shows_a_real_response() -> None:
    """The command in the README runs, and the table it shows has the shape of the real one."""
    readme = (ROOT / "README.md").read_text()
    command, shown = re.search(r"    \./run threadline (sample \S+)\n\n((?:    .*\n|\n)+)", readme).groups()  # type: ignore[union-attr]
    real = threadline(*command.split()).stdout.splitlines()
    head = [line.strip() for line in shown.splitlines() if line.strip()]
    assert head[0].split() == real[0].split()
    ours = {line.split()[-1] for line in real if line.strip()}
    assert sum(line.split()[-1] in ours for line in head[1:]) >= len(head) // 2


def test_readme_code_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)  # noqa: S102
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 3
    assert 0.5 < float(printed[0]) <= 1.0
    assert printed[1].startswith("[(1, ['crowd', 'cup'")
