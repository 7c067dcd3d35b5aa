"""The stream engine: the same posterior whatever the order of arrival, the same labels whatever the batches."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import core
from core import generators
from core.housekeeping import weigh
from core.items import canonical
from core.knobs import SMOOTHING, UNSEEN, frequencies, refresh
from core.likelihoods.left_out import left_out, log_left_out
from core.metrics import normalized_mutual_information
from core.stream import Stream

from . import naive
from .models import LIKELIHOODS, PRIORS, LikelihoodCase, PriorCase
from .test_enumeration import exact, noise_floor, total_variation

DRAWS = 3000
LAG = 3
IN_ORDER, OUT_OF_ORDER = [0, 1, 2, 3, 4], [3, 0, 4, 2, 1]
KNOBS = ("alpha", "rate", "decay", "strength")


def open_stream(
    prior: PriorCase, likelihood: LikelihoodCase, data: Any, window: float = math.inf, seed: int = 5
) -> Stream:
    """A stream with fixed knobs over the columns of the data."""
    model = likelihood.likelihood
    if isinstance(model, core.DirichletMultinomial) and model.base is None:
        model = core.DirichletMultinomial(model.strength, np.full(data.shape[1], 1 / data.shape[1]))
    return Stream(prior.prior, model, window=window, seed=seed, fixed=KNOBS, dimensions=data.shape[1])


def items(
    likelihood: LikelihoodCase, data: NDArray[Any], times: NDArray[np.float64], order: Any
) -> list[tuple[str, float, Any]]:
    if isinstance(likelihood.likelihood, core.Gaussian):
        return [(str(i), times[i], data[i]) for i in order]
    return [(str(i), times[i], {w: int(c) for w, c in enumerate(data[i]) if c}) for i in order]


def labels_of(stream: Stream, n: int) -> NDArray[np.int64]:
    """Threads of the documents named 0 … n − 1."""
    found = np.empty(n, np.int64)
    for number in range(stream.documents.count):
        name = stream.ids[int(stream.documents["sequence"][number])]
        found[int(name)] = stream.labelling.slots.names[stream.documents["labels"][number]]
    return canonical(found)


@pytest.mark.parametrize(
    ("name", "likelihood", "order"),
    [
        ("tdpm-exponential", LIKELIHOODS[1], IN_ORDER),
        ("tdpm-exponential", LIKELIHOODS[1], OUT_OF_ORDER),
        ("tdpm-exponential", LIKELIHOODS[2], OUT_OF_ORDER),
        ("tdpm-exponential", LIKELIHOODS[4], OUT_OF_ORDER),
        ("tdpm-logistic", LIKELIHOODS[1], OUT_OF_ORDER),
        ("rcrp-1.5-2", LIKELIHOODS[2], OUT_OF_ORDER),
        ("rcrp-1.5-2", LIKELIHOODS[4], OUT_OF_ORDER),
        ("crp", LIKELIHOODS[1], OUT_OF_ORDER),
    ],
    ids=lambda case: (
        case if isinstance(case, str) else "".join(map(str, case)) if isinstance(case, list) else case.name
    ),
)
def test_any_arrival_order_gives_the_exact_posterior(
    name: str, likelihood: LikelihoodCase, order: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With two split-merge moves a document in every sweep, so that a wrong acceptance would show."""
    monkeypatch.setattr("core.sweeping.MOVES_PER_DOCUMENT", 2.0)
    prior = next(case for case in PRIORS if case.name == name)
    rng = np.random.default_rng(7)
    data = likelihood.rows(rng, 5)
    times = np.array([0.0, 1.0, 2.0, 3.0, 5.0])  # no ties: those go by arrival
    stream = open_stream(prior, likelihood, data)
    stream.add(items(likelihood, data, times, order))
    samples = np.empty((DRAWS, 5), np.int64)
    for d in range(DRAWS):
        for _ in range(LAG):
            stream.sweep()
        samples[d] = labels_of(stream, 5)
    posterior = exact(prior, likelihood, data, times)
    assert total_variation(posterior, samples) < noise_floor(posterior, DRAWS)


def words_stream(seed: int = 3, window: float = 30.0, fixed: tuple[str, ...] = ()) -> Stream:
    return Stream(
        core.TDPM(0.3, core.Exponential(0.5)), core.DirichletMultinomial(20.0), window=window, seed=seed, fixed=fixed
    )


def generated(n: int, seed: int = 1) -> tuple[list[tuple[str, float, dict[str, int]]], NDArray[np.int64]]:
    """Documents of named words from the paper's recipe, with their true threads."""
    drawn = generators.tdpm(n=n, vocabulary=60, words=12, strength=6.0, rng=np.random.default_rng(seed))
    rows = drawn.data.toarray()
    named = [{f"w{w}": int(c) for w, c in enumerate(row) if c} for row in rows]
    return [(f"d{i}", float(drawn.times[i]), named[i]) for i in range(n)], drawn.labels


def state_of(stream: Stream) -> tuple[list[int], list[int], str]:
    """Threads, arrivals and knobs: all that later answers depend on."""
    return stream.names().tolist(), stream.sequences().tolist(), repr((stream.prior, stream.likelihood.strength))


def test_batches_do_not_matter() -> None:
    documents, _ = generated(150)
    results = []
    for sizes in ([150], [1] * 150, [7, 80, 63]):
        stream = words_stream()
        placed = []
        begin = 0
        for size in sizes:
            placed += stream.add(documents[begin : begin + size])
            begin += size
        stream.sweep()
        results.append((placed, state_of(stream)))
    assert results[0] == results[1] == results[2]


def test_threads_are_found_and_settled_labels_stay() -> None:
    documents, truth = generated(1500)
    stream = words_stream()
    label: dict[str, int | None] = {}
    for begin in range(0, 1500, 50):
        label |= {p.document: p.thread for p in stream.add(documents[begin : begin + 50])}
        label |= {m.document: m.after for m in stream.sweep().moved}
    found = np.array([label[name] for name, _, _ in documents])
    assert normalized_mutual_information(truth, found) > 0.9
    assert int(stream.cursor[0]) > 0
    assert stream.documents.count < 1500


def test_probabilities_and_parts_of_a_placement() -> None:
    documents, _ = generated(80)
    stream = words_stream(fixed=KNOBS)
    stream.add(documents[:79])
    (placed,) = stream.add(documents[79:])
    assert 0.0 < sum(c.probability for c in placed.candidates) <= 1.0 + 1e-9
    assert placed.probability == placed.candidates[0].probability >= placed.candidates[1].probability
    for one, two in itertools.pairwise(placed.candidates):
        scores = [c.prior + c.length + sum(c.words.values()) for c in (one, two)]
        assert scores[0] - scores[1] == pytest.approx(math.log(one.probability / two.probability), abs=1e-9)


def test_late_documents_change_nothing() -> None:
    documents, _ = generated(300)
    stream = words_stream(window=20.0)
    stream.add(documents)
    before = stream.to_bytes()
    (late,) = stream.add([("late", documents[250][1] - 60.0, documents[250][2])])
    assert late.late
    assert 0.0 < late.probability <= 1.0
    after = Stream.from_bytes(before)
    assert state_of(after) == state_of(stream)
    assert [t.size for t in after.threads()] == [t.size for t in stream.threads()]


def test_going_on_from_bytes_is_going_on() -> None:
    documents, _ = generated(400)
    stream = words_stream()
    stream.add(documents[:200])
    stream.sweep(documents=333)
    copy = Stream.from_bytes(stream.to_bytes())
    for one in (stream, copy):
        one.add(documents[200:])
        one.sweep()
    assert state_of(stream) == state_of(copy)
    assert stream.to_bytes() == copy.to_bytes()
    assert stream.threads() == copy.threads()


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "other"])
def test_damaged_bytes_are_refused(damage: str) -> None:
    stream = words_stream()
    stream.add(generated(10)[0])
    data = bytearray(stream.to_bytes())
    data[len(data) // 2] ^= 1
    bad = {"flip": bytes(data), "cut": stream.to_bytes()[:-5], "empty": b"", "other": b"something else" * 10}[damage]
    with pytest.raises(core.ArgumentError, match=r"^data is"):
        Stream.from_bytes(bad)


def test_predictions_sum_to_one_and_change_nothing() -> None:
    documents, _ = generated(200)
    stream = words_stream()
    stream.add(documents[:190])
    for _ in range(5):
        stream.sweep()
    before = state_of(stream)
    predicted = stream.predict([*documents[190:], ("unknown", 1e6, ["never", "seen"])])
    for prediction in predicted:
        assert sum(prediction.threads.values()) + prediction.new == pytest.approx(1.0, abs=1e-9)
        assert prediction.log_p < 0.0
    assert predicted[-1].new > 0.99
    assert state_of(stream) == before
    assert stream.predict(documents[190:]) == predicted[:-1]


def test_removed_documents_have_never_come() -> None:
    documents, _ = generated(120)
    stream = words_stream(window=math.inf, fixed=KNOBS)
    stream.add(documents)
    gone = [name for name, _, _ in documents[::3]]
    threads = dict(zip([stream.ids[s] for s in stream.sequences().tolist()], stream.names().tolist(), strict=True))
    stream.remove(gone)
    assert sorted(stream.ids.values()) == sorted(set(threads) - set(gone))
    never = words_stream(window=math.inf, fixed=KNOBS)
    never.add([d for d in documents if d[0] not in gone])
    left = np.array([threads[never.ids[s]] for s in never.sequences().tolist()])
    never.labelling.unload(np.arange(never.documents.count))
    never.labelling.load(np.arange(never.documents.count), canonical(left))
    for one in (stream, never):
        refresh(one)
    assert sorted(frequencies(stream).tolist()) == sorted(
        [*frequencies(never).tolist(), *[0] * (stream.vocabulary.extent - never.vocabulary.extent)]
    )
    assert sorted(stream.labelling.likelihood.total[stream.labelling.slots.size > 0]) == sorted(
        never.labelling.likelihood.total[never.labelling.slots.size > 0]
    )
    assert sorted(np.exp(weigh(stream)[1])) == pytest.approx(sorted(np.exp(weigh(never)[1])))


def test_threads_die_when_nothing_comes_and_may_revive() -> None:
    stream = words_stream(window=5.0, fixed=KNOBS)
    stream.add([(f"a{i}", float(i), ["storm", "coast", "warning"]) for i in range(4)])
    (thread,) = stream.threads()
    assert (thread.size, thread.window_size, thread.birth, thread.last) == (4, 4, 0.0, 3.0)
    assert set(thread.top_words) == {"storm", "coast", "warning"}
    (death,) = stream.advance(20.0)
    assert death.thread == thread.thread
    weight = sum(math.exp(-0.5 * (death.time - t)) for t in range(4))
    assert weight == pytest.approx(0.01 * 0.3)
    assert stream.threads() == []
    (back,) = stream.add([("b", 21.0, ["storm", "coast", "warning", "storm", "coast"] * 3)])
    stream.advance(21.0)
    assert ("revived", thread.thread) in [(e.kind, e.thread) for e in stream.events()]
    assert back.thread == thread.thread


def test_vectors_work_as_well_as_words() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 120)
    points = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[truth] + rng.normal(size=(120, 2))
    stream = Stream(core.CRP(0.5), core.Gaussian(1.0, 30.0), window=math.inf, seed=1, dimensions=2)
    placed = stream.add([(str(i), float(i), points[i]) for i in range(120)])
    stream.sweep()
    assert normalized_mutual_information(truth, stream.names()) > 0.95
    assert all(p.candidates[0].words == {} for p in placed)
    assert Stream.from_bytes(stream.to_bytes()).to_bytes() == stream.to_bytes()


@pytest.mark.parametrize(
    ("item", "argument"),
    [
        (("a", 1.0), "items"),
        (("a", math.nan, ["w"]), "time"),
        (("a", "today", ["w"]), "time"),
        (("a", 1.0, "a text"), "content"),
        (("a", 1.0, {"w": 0}), "content"),
        (("a", 1.0, {"w": 1.5}), "content"),
        (("a", 1.0, 7), "content"),
    ],
)
def test_bad_items_are_refused_and_nothing_is_stored(item: Any, argument: str) -> None:
    stream = words_stream()
    stream.add(generated(5)[0])
    before = stream.to_bytes()
    with pytest.raises(core.ArgumentError) as caught:
        stream.add([item])
    assert caught.value.argument == argument
    assert state_of(Stream.from_bytes(before)) == state_of(stream)


@pytest.mark.parametrize("prior", [core.CRP(3.0), core.RCRP(3.0, 1.0, 6), core.TDPM(3.0, core.Exponential(2.0))])
def test_knobs_learn_unless_fixed(prior: Any) -> None:
    documents, _ = generated(300)
    whole = [(name, math.floor(when), content) for name, when, content in documents]
    learning, fixed = (
        Stream(prior, core.DirichletMultinomial(50.0), window=100.0, seed=1, fixed=knobs) for knobs in ((), KNOBS)
    )
    for stream in (learning, fixed):
        stream.add(whole)
        for _ in range(150):  # alpha and strength go 6 % of the way every third pass
            stream.sweep()
    assert (fixed.prior, fixed.likelihood.strength) == (prior, 50.0)
    assert learning.prior.alpha != prior.alpha
    if isinstance(prior, core.TDPM):  # the documents are drawn with 0.2 and 0.5
        assert learning.prior.alpha == pytest.approx(0.2, rel=0.7)
        assert learning.prior.kernel.rate == pytest.approx(0.5, rel=0.7)
    assert 2.0 < learning.likelihood.strength < 30.0


def test_left_out_likelihood_is_that_of_each_document_given_its_thread() -> None:
    documents, _ = generated(30)
    stream = words_stream(window=math.inf, fixed=KNOBS)
    stream.add(documents)
    state, labels = stream.labelling.likelihood, stream.labelling.labels[:30]
    numbers = stream.vocabulary.number
    rows = [[d[2].get(str(word), 0) for word in numbers] for d in documents]
    mass = [float(state.mass[n]) * 7.0 / state.strength for n in numbers.values()]
    mass.append(7.0 - sum(mass))  # kept back for words never seen
    expected = 0.0
    for i in range(30):
        rest = [[*rows[j], 0] for j in range(30) if labels[j] == labels[i] and j != i]
        whole = naive.dirichlet_multinomial([*rest, [*rows[i], 0]], mass)
        expected += whole - naive.dirichlet_multinomial(rest, mass)
    found = log_left_out(left_out(state, stream.labelling.items, stream.labelling.labels, np.arange(30)), 7.0)
    assert found == pytest.approx(expected, abs=1e-9)


def test_base_measure_counts_threads_not_occurrences() -> None:
    stream = words_stream(window=math.inf, fixed=KNOBS)
    stream.add([(str(i), float(i), ["storm", "coast"]) for i in range(6)])
    stream.add([(name, 6.0, [name, "report"]) for name in ("tax", "cup", "vote", "opera", "strike", "flood")])
    lab = stream.labelling
    lab.unload(np.arange(12))
    lab.load(np.arange(12), np.array([0] * 6 + list(range(1, 7))))
    refresh(stream)
    state, number = stream.labelling.likelihood, stream.vocabulary.number
    mass = {word: float(state.mass[n]) for word, n in number.items()}
    assert mass["report"] == pytest.approx(mass["storm"] * (6 + SMOOTHING) / (1 + SMOOTHING))
    assert mass["storm"] == mass["coast"] == mass["tax"]
    unused = state.mass[len(number) :]
    assert sum(mass.values()) + UNSEEN * unused[0] == pytest.approx(state.strength)
