"""Compiled code: where it is kept, when it is compiled anew, and that it draws what plain Python draws."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import core
import core.jit

ROOT = Path(core.__file__).parents[1]
SOURCES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "core").rglob("*.py"))
FALLBACK = ".cache/threadline"  # core's second choice of a cache, in the user's home

# What every process does first, and `tell`, which reports what the sweep's compiler did.
PRELUDE = """
import json
import numba.core.event as events
import numpy as np
import core
from core.samplers.labels import sweep_kernel

rng = np.random.default_rng(3)
N = 25
COUNTS = rng.integers(0, 3, (N, 6)) * (np.arange(6) % 3 == rng.integers(0, 3, (N, 1)))
POINTS = rng.normal(size=(N, 2)) + 4 * rng.integers(0, 3, (N, 1))
TIMES = np.arange(N) // 2
WORDS, VECTORS = core.DirichletMultinomial(1.0), core.Gaussian(1.0, 9.0)
TDPM = core.TDPM(1.0, core.Exponential(0.5))


def draw(prior=TDPM, likelihood=WORDS, data=COUNTS, times=TIMES):
    return core.sample(prior, likelihood, data, times, draws=4, seed=1).tolist()


def tell(labels):
    stats = sweep_kernel.stats
    hits, misses = sum(stats.cache_hits.values()), sum(stats.cache_misses.values())
    print(json.dumps([labels, hits, misses, len(compiled.buffer), len(sweep_kernel.signatures)]))


with events.install_recorder("numba:compile") as compiled:
"""


class Report(NamedTuple):
    """What a process drew and compiled."""

    labels: Any
    hits: int  # of the sweep, in the disk cache
    misses: int
    compiled: int  # events of compiling anything
    signatures: int  # specialisations of the sweep


def run(body: str, *, root: Path = ROOT, **environment: str | Path) -> Any:
    """What the code prints as JSON, run in a process of its own with the core of `root`."""
    env = os.environ | {"NUMBA_DISABLE_JIT": "0"} | {name: str(value) for name, value in environment.items()}
    script = PRELUDE + "\n".join(f"    {line}" for line in body.splitlines())
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def report(body: str = "tell(draw())", **keywords: Any) -> Report:
    return Report(*run(body, **keywords))


def copy_core(folder: Path) -> None:
    shutil.copytree(ROOT / "core", folder / "core", ignore=shutil.ignore_patterns("__pycache__"))


class Cold(NamedTuple):
    """A copy of core with a cache of its own, and what the first process found there."""

    root: Path
    cache: Path
    first: Report

    def again(self, body: str = "tell(draw())") -> Report:
        """What one more process finds."""
        return report(body, root=self.root, NUMBA_CACHE_DIR=self.cache)


@pytest.fixture(scope="module")
def cold(tmp_path_factory: pytest.TempPathFactory) -> Cold:
    root = tmp_path_factory.mktemp("cold")
    copy_core(root)
    return Cold(root, root / FALLBACK, report(root=root, NUMBA_CACHE_DIR=root / FALLBACK))


def test_second_process_compiles_nothing(cold: Cold) -> None:
    assert (cold.first.hits, cold.first.misses) == (0, 1)
    second = cold.again()
    assert (second.hits, second.misses, second.compiled) == (1, 0, 0)
    assert second.labels == cold.first.labels


def test_unwritable_cache_directory_falls_back_to_home(cold: Cold, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    fallen_back = report(root=cold.root, NUMBA_CACHE_DIR=tmp_path / "file" / "cache", HOME=cold.root)
    assert (fallen_back.hits, fallen_back.misses) == (1, 0)
    assert fallen_back.labels == cold.first.labels


def test_unwritable_home_falls_back_to_temporary_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    nowhere = tmp_path / "file" / "cache"
    cache = run("print(json.dumps(core.jit.config.CACHE_DIR))", NUMBA_CACHE_DIR=nowhere, HOME=nowhere, TMPDIR=tmp_path)
    assert Path(cache).is_dir()
    assert Path(cache).parent == tmp_path


def test_edited_likelihood_is_compiled_anew(cold: Cold) -> None:
    source = cold.root / "core/likelihoods/dirichlet_multinomial.py"
    text = source.read_text()
    source.write_text(
        f"{text}\n\n@log_score_and_own.implements(DirichletMultinomialState)\n"
        "def deaf_to_words(state, items, i, own, scratch, slots):\n"
        "    scratch.stamp[0] += 1\n"
        "    return 0, 0.0, 0.0\n"
    )
    try:
        edited = cold.again()
    finally:
        source.write_text(text)
    assert (edited.hits, edited.misses) == (0, 1)
    assert edited.labels != cold.first.labels
    undone = cold.again()
    assert (undone.hits, undone.misses) == (1, 0)
    assert undone.labels == cold.first.labels


@pytest.mark.parametrize("source", SOURCES)
def test_edit_in_any_file_changes_source_hash(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy_core(tmp_path)
    monkeypatch.setattr(core.jit, "__file__", str(tmp_path / "core/jit.py"))
    before = core.jit.source_hash()
    with (tmp_path / source).open("a") as edited:
        edited.write("# edited\n")
    assert core.jit.source_hash() != before


def test_added_and_renamed_files_change_source_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core.jit, "__file__", str(tmp_path / "jit.py"))
    hashes = [core.jit.source_hash()]
    (tmp_path / "one.py").write_text("one = 1\n")
    hashes.append(core.jit.source_hash())
    (tmp_path / "one.py").rename(tmp_path / "two.py")
    hashes.append(core.jit.source_hash())
    assert len(set(hashes)) == 3


def test_source_hash_is_stable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = core.jit.source_hash()
    copy_core(tmp_path)
    monkeypatch.setattr(core.jit, "__file__", str(tmp_path / "core/jit.py"))
    assert core.jit.source_hash() == original


PAIRS = """
priors = {
    "crp": core.CRP(1.0),
    "exponential": TDPM,
    "logistic": core.TDPM(1.0, core.Logistic(3.0, 1.0)),
    "rcrp": core.RCRP(1.0, 2.0, 4),
}
labels = {
    f"{name}-{type(likelihood).__name__}": draw(prior, likelihood, data)
    for name, prior in priors.items()
    for likelihood, data in ((WORDS, COUNTS), (VECTORS, POINTS))
}
print(json.dumps(labels))
"""


def test_plain_python_draws_the_compiled_labels() -> None:
    compiled = run(PAIRS)
    assert len(compiled) == 8
    threads = [max(draw) + 1 for draws in compiled.values() for draw in draws]
    assert min(threads) > 1  # the labels say something
    assert max(threads) < 25
    assert run(PAIRS, NUMBA_DISABLE_JIT="1") == compiled


STREAM = """
stream = core.Stream(TDPM, core.DirichletMultinomial(20.0), window=8.0, seed=2)
placed = []
documents = [(str(i), i / 5, {f"w{(i % 3) * 4 + int(w)}": 1 for w in rng.integers(0, 4, 5)}) for i in range(90)]
for begin in range(0, 90, 15):
    placed += stream.add(documents[begin : begin + 15])
    stream.sweep()
    stream.sweep(documents=7)
labels = [(p.document, p.thread, p.probability) for p in placed]
print(json.dumps([labels, stream.names().tolist(), stream.events(), stream.chain()["random"], repr(stream.prior)]))
"""


def test_a_stream_in_plain_python_is_the_compiled_one() -> None:
    compiled = run(STREAM)
    assert len(set(compiled[1])) > 1
    assert run(STREAM, NUMBA_DISABLE_JIT="1") == compiled


def test_types_of_numbers_share_one_specialisation(cold: Cold) -> None:
    many = cold.again("""
labels = [draw(core.TDPM(alpha, core.Exponential(rate)), core.DirichletMultinomial(alpha))
          for alpha in (1, 1.0, np.float32(1), np.int8(1)) for rate in (0.5, np.float32(0.5))]
labels += [draw(times=times) for times in (TIMES.astype(float), TIMES.astype(np.int32), TIMES.tolist())]
labels += [draw(data=data) for data in (COUNTS.astype(np.uint8), COUNTS.astype(np.float32), COUNTS.tolist())]
tell(labels)
""")
    assert (many.signatures, many.compiled) == (1, 0)
    assert all(labels == cold.first.labels for labels in many.labels)


LAYOUTS = """
def frozen(array):
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def strided(array):
    return np.repeat(array, 2, axis=0)[::2]

"""


def test_layouts_of_times_share_one_specialisation(cold: Cold) -> None:
    many = cold.again(LAYOUTS + "tell([draw(times=layout(TIMES.astype(float))) for layout in (frozen, strided)])")
    assert (many.signatures, many.compiled) == (1, 0)
    assert all(labels == cold.first.labels for labels in many.labels)


def test_layouts_of_data_share_one_specialisation() -> None:
    body = LAYOUTS + "tell([draw(TDPM, VECTORS, f(POINTS)) for f in (np.copy, frozen, strided, np.asfortranarray)])"
    many = report(body)
    assert many.signatures == 1
    assert all(labels == many.labels[0] for labels in many.labels)
