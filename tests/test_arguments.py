"""Arguments of core's public face: bad ones are refused by name, odd but good ones work."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import core

CRP, TDPM, RCRP = core.CRP(1.0), core.TDPM(1.0, core.Exponential(0.5)), core.RCRP(1.0, 2.0, 3)
WORDS, POINTS = core.DirichletMultinomial(1.0), core.Gaussian(1.0, 4.0)
COUNTS = np.array([[1, 0], [0, 2], [3, 1]])
VECTORS = np.array([[0.0, 1.0], [2.0, 0.5], [1.0, 1.0]])
TIMES = [0.0, 1.0, 2.0]
HUGE = 10**400  # beyond what a float holds

Call = Callable[..., Any]


def sample(prior: Any = CRP, likelihood: Any = WORDS, data: Any = COUNTS, times: Any = TIMES, **keywords: Any) -> Any:
    return core.sample(prior, likelihood, data, times, **{"draws": 1, "seed": 1} | keywords)


def log_joint(
    prior: Any = CRP, likelihood: Any = WORDS, data: Any = COUNTS, times: Any = TIMES, labels: Any = (0, 0, 1)
) -> Any:
    return core.log_joint(prior, likelihood, data, times, labels)


def held_out(
    prior: Any = CRP, likelihood: Any = WORDS, data: Any = COUNTS, times: Any = TIMES, samples: Any = (0, 0)
) -> Any:
    return core.held_out(prior, likelihood, data, times, samples)


def assert_refused(argument: str, call: Call, *args: Any, **keywords: Any) -> None:
    """The call raises an ArgumentError that names the argument."""
    with pytest.raises(core.ArgumentError) as caught:
        call(*args, **keywords)
    assert caught.value.argument == argument
    assert str(caught.value).startswith(f"{argument} ")


def brief(value: Any) -> str:
    """A value for a test's name."""
    text = f"{float(value):g}" if isinstance(value, int | float) and abs(value) < HUGE else str(value)[:9]
    return f"{type(value).__name__} {text}"


FUNCTIONS = pytest.mark.parametrize("call", [sample, log_joint, held_out])


# Numbers.

NEVER = [-1, -0.1, -math.inf, math.nan, "1", "x", None, True, [1.0], np.array([1.0]), np.ones(2), 1j, HUGE, -HUGE]
ZERO, INFINITE = [0, -0.0], [math.inf, np.float32(math.inf)]
NUMBERS: list[tuple[str, str, Call, list[Any]]] = [
    ("crp", "alpha", core.CRP, ZERO + INFINITE),
    ("tdpm", "alpha", lambda x: core.TDPM(x, core.Step()), ZERO + INFINITE),
    ("rcrp", "alpha", lambda x: core.RCRP(x, 1.0, 1), ZERO + INFINITE),
    ("rcrp", "decay", lambda x: core.RCRP(1.0, x, 1), ZERO),
    ("rcrp", "width", lambda x: core.RCRP(1.0, 1.0, x), [0.5, 1.0000001]),
    ("dpchain", "alpha", lambda x: core.DPChain(x, 0.5), ZERO + INFINITE),
    ("dpchain", "eta", lambda x: core.DPChain(1.0, x), INFINITE),
    ("hdp_evo", "alpha", lambda x: core.HDPEvo(x, 1.0, 0.5), ZERO + INFINITE),
    ("hdp_evo", "gamma", lambda x: core.HDPEvo(1.0, x, 0.5), ZERO + INFINITE),
    ("hdp_evo", "eta", lambda x: core.HDPEvo(1.0, 1.0, x), INFINITE),
    ("exponential", "rate", core.Exponential, ZERO + INFINITE),
    ("window", "width", core.Window, []),
    ("logistic", "midpoint", lambda x: core.Logistic(x, 1.0), INFINITE),
    ("logistic", "scale", lambda x: core.Logistic(1.0, x), ZERO + INFINITE),
    ("periodic", "period", core.Periodic, ZERO + INFINITE),
    ("periodic", "sharpness", lambda x: core.Periodic(1.0, x), INFINITE),
    ("periodic", "rate", lambda x: core.Periodic(1.0, 1.0, x), INFINITE),
    ("words", "strength", core.DirichletMultinomial, ZERO + INFINITE),
    ("points", "noise", lambda x: core.Gaussian(x, 1.0), ZERO + INFINITE),
    ("points", "spread", lambda x: core.Gaussian(1.0, x), ZERO + INFINITE),
    ("ddcrp", "alpha", lambda x: core.DDCRP(x, core.Step()), ZERO + INFINITE),
    ("addcrp", "alpha", lambda x: core.ADDCRP(x, core.Step()), ZERO + INFINITE),
    ("moving points", "noise", lambda x: core.GaussianChain(x, 1.0, 1.0), ZERO + INFINITE),
    ("moving points", "spread", lambda x: core.GaussianChain(1.0, x, 1.0), ZERO + INFINITE),
    ("moving points", "drift", lambda x: core.GaussianChain(1.0, 1.0, x), INFINITE),
    ("moving words", "spread", lambda x: core.LogisticNormalChain(x, 1.0), ZERO + INFINITE),
    ("moving words", "drift", lambda x: core.LogisticNormalChain(1.0, x), INFINITE),
]


@pytest.mark.parametrize(
    ("argument", "make", "value"),
    [
        pytest.param(argument, make, value, id=f"{owner}-{argument}-{brief(value)}")
        for owner, argument, make, also in NUMBERS
        for value in NEVER + also
    ],
)
def test_number_out_of_range_is_refused(argument: str, make: Call, value: Any) -> None:
    assert_refused(argument, make, value)


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1), np.int8(1), np.array(1.0), Fraction(1), Decimal(1)])
def test_any_real_number_will_do(value: Any) -> None:
    assert core.CRP(value) == core.CRP(1.0)
    assert core.RCRP(value, value, value) == core.RCRP(1.0, 1.0, 1.0)
    assert core.Exponential(value) == core.Exponential(1.0)


@pytest.mark.parametrize("kernel", [None, 0.5, "exponential", core.Exponential, (0.5,), CRP, math.exp])
def test_what_is_no_kernel_is_refused(kernel: Any) -> None:
    for prior in (core.TDPM, core.DDCRP, core.ADDCRP):
        assert_refused("kernel", prior, 1.0, kernel)


@pytest.mark.parametrize("distance", [None, "median", 1, "Mean"])
def test_what_is_no_distance_is_refused(distance: Any) -> None:
    assert_refused("distance", core.ADDCRP, 1.0, core.Step(), distance)


def test_what_cannot_settle_is_refused_by_streams() -> None:
    averaged, moving = core.ADDCRP(1.0, core.Step()), core.GaussianChain(1.0, 1.0, 1.0)
    assert_refused("prior", core.Stream, averaged, POINTS, window=1.0, seed=1, dimensions=2)
    assert_refused("likelihood", core.Stream, RCRP, moving, window=1.0, seed=1, dimensions=2)


# Prior and likelihood.


@FUNCTIONS
@pytest.mark.parametrize("prior", [None, "crp", 1.0, core.CRP, WORDS, core.Exponential(1.0)])
def test_what_is_no_prior_is_refused(call: Call, prior: Any) -> None:
    assert_refused("prior", call, prior=prior)


@FUNCTIONS
@pytest.mark.parametrize("likelihood", [None, "words", 1.0, core.Gaussian, CRP])
def test_what_is_no_likelihood_is_refused(call: Call, likelihood: Any) -> None:
    assert_refused("likelihood", call, likelihood=likelihood)


# Times.

BAD_TIMES = {
    "nan": [0.0, math.nan, 2.0],
    "infinite": [0.0, 1.0, math.inf],
    "minus infinite": [-math.inf, 0.0, 1.0],
    "missing": [0.0, None, 2.0],
    "unsorted": [0.0, 2.0, 1.0],
    "descending": [2, 1, 0],
    "too few": [0.0, 1.0],
    "too many": [0.0, 1.0, 2.0, 3.0],
    "none": None,
    "empty": [],
    "scalar": 0.0,
    "column": [[0.0], [1.0], [2.0]],
    "row": [[0.0, 1.0, 2.0]],
    "ragged": [[0.0], [1.0, 2.0], [3.0]],
    "words": ["a", "b", "c"],
    "digits": ["0", "1", "2"],
    "array of digits": np.array(["0", "1", "2"]),
    "dates": np.array(["2024-01-01", "2024-01-02", "2024-01-03"], "datetime64[D]"),
    "complex": np.array([0j, 1j, 2j]),
    "huge": [0, 1, HUGE],
    "infinitely far apart": [-1.5e308, 1.5e308, 1.5e308],
}


@FUNCTIONS
@pytest.mark.parametrize(("likelihood", "data"), [(WORDS, COUNTS), (POINTS, VECTORS)], ids=["words", "points"])
@pytest.mark.parametrize("times", BAD_TIMES.values(), ids=list(BAD_TIMES))
def test_bad_times_are_refused(call: Call, likelihood: Any, data: Any, times: Any) -> None:
    assert_refused("times", call, likelihood=likelihood, data=data, times=times)


@FUNCTIONS
@pytest.mark.parametrize(
    "times", [[0.0, 0.5, 1.0], [0.0, 1.0, 1e300]], ids=["fractions", "beyond whole numbers of the machine"]
)
def test_rcrp_refuses_times_that_are_no_epochs(call: Call, times: Any) -> None:
    assert_refused("times", call, prior=RCRP, times=times)


# Data.

BAD_DATA: dict[str, Any] = {  # for every likelihood
    "none": None,
    "scalar": 1.0,
    "empty": [],
    "no rows": np.zeros((0, 2)),
    "no columns": np.zeros((3, 0)),
    "empty rows": [[], [], []],
    "one-dimensional": [1.0, 2.0, 3.0],
    "three-dimensional": np.ones((3, 1, 1)),
    "ragged": [[1.0, 2.0], [3.0], [4.0, 5.0]],
    "nan": [[1.0, 0.0], [math.nan, 1.0], [1.0, 1.0]],
    "infinite": [[1.0, 0.0], [math.inf, 1.0], [1.0, 1.0]],
    "words": [["a", "b"], ["c", "d"], ["e", "f"]],
    "digits": [["1", "2"], ["3", "4"], ["5", "6"]],
    "complex": np.ones((3, 2), complex),
    "huge": [[1, 0], [HUGE, 1], [1, 1]],
}
SPARSE = scipy.sparse.csr_array(COUNTS.astype(float))
BAD_COUNTS = {
    "negative": [[1, 0], [-1, 1], [1, 1]],
    "fractional": [[1.0, 0.0], [0.5, 1.0], [1.0, 1.0]],
    "beyond whole numbers of the machine": [[1, 0], [2**63, 1], [1, 1]],
    "astronomic": [[1.0, 0.0], [1e30, 1.0], [1.0, 1.0]],
    "overflowing in sum": [[1, 0], [2**62, 2**62], [1, 1]],
    "sparse negative": -SPARSE,
    "sparse fractional": SPARSE / 2,
    "sparse nan": SPARSE * math.nan,
    "sparse complex": SPARSE * 1j,
    "sparse huge": scipy.sparse.csr_array(np.array([[1, 0], [2**63, 1], [1, 1]], np.uint64)),
    "sparse no rows": scipy.sparse.csr_array((0, 2)),
    "sparse no columns": scipy.sparse.csr_array((3, 0)),
    "sparse one-dimensional": scipy.sparse.coo_array(np.array([1, 2, 3])),
}
BAD_VECTORS = {"csr": SPARSE, "coo": scipy.sparse.coo_array(COUNTS), "matrix": scipy.sparse.csr_matrix(COUNTS)}


@FUNCTIONS
@pytest.mark.parametrize(
    ("likelihood", "data"),
    [pytest.param(WORDS, data, id=f"words-{name}") for name, data in (BAD_DATA | BAD_COUNTS).items()]
    + [pytest.param(POINTS, data, id=f"points-{name}") for name, data in (BAD_DATA | BAD_VECTORS).items()],
)
def test_bad_data_are_refused(call: Call, likelihood: Any, data: Any) -> None:
    assert_refused("data", call, likelihood=likelihood, data=data)


# Base.

BAD_BASES = {
    "negative": [1.5, -0.5],
    "too small": [0.5, 0.4],
    "too large": [1, 1],
    "nan": [math.nan, 1.0],
    "infinite": [math.inf, 0.0],
    "empty": [],
    "zero": [0.0, 0.0],
    "scalar": 1.0,
    "two-dimensional": [[0.5, 0.5]],
    "ragged": [[0.5], [0.25, 0.25]],
    "words": ["a", "b"],
    "digits": ["0.5", "0.5"],
    "text": "uniform",
    "huge": [HUGE, -HUGE],
}


@pytest.mark.parametrize("base", BAD_BASES.values(), ids=list(BAD_BASES))
def test_what_is_no_base_is_refused(base: Any) -> None:
    assert_refused("base", core.DirichletMultinomial, 1.0, base)


@FUNCTIONS
@pytest.mark.parametrize("data", [COUNTS, COUNTS.tolist(), SPARSE], ids=["dense", "list", "sparse"])
@pytest.mark.parametrize("base", [[1.0], [0.5, 0.25, 0.25], [1.0, 0.0]], ids=["short", "long", "zero for a used word"])
def test_base_that_does_not_fit_is_refused(call: Call, base: Any, data: Any) -> None:
    assert_refused("base", call, likelihood=core.DirichletMultinomial(1.0, base), data=data)


# Labels.

BAD_LABELS = {
    "too few": [0, 1],
    "too many": [0, 1, 2, 3],
    "empty": [],
    "scalar": 0,
    "two-dimensional": [[0, 1, 2]],
    "ragged": [[0], [1, 2], [3]],
    "fractional": [0.0, 0.5, 1.0],
    "floats": [0.0, 1.0, 1.0],
    "nan": [0.0, math.nan, 1.0],
    "missing": [0, None, 1],
    "text": ["a", "b", "c"],
    "booleans": [True, False, True],
    "huge": [0, 1, HUGE],
}


@pytest.mark.parametrize("labels", [*BAD_LABELS.values(), None], ids=[*BAD_LABELS, "none"])
def test_bad_labels_are_refused(labels: Any) -> None:
    assert_refused("labels", log_joint, labels=labels)


@pytest.mark.parametrize("init", BAD_LABELS.values(), ids=list(BAD_LABELS))
def test_bad_init_is_refused(init: Any) -> None:
    assert_refused("init", sample, init=init)


@pytest.mark.parametrize(
    ("prior", "times", "init"),
    [
        (core.TDPM(1.0, core.Window(1.0)), [0.0, 5.0, 5.0], [0, 0, 1]),
        (core.TDPM(1.0, core.Window(1.0)), [0.0, 1.0, 2.5], [0, 0, 0]),
        (core.RCRP(1.0, 1.0, 2), [0, 3, 3], [0, 0, 1]),
        (core.RCRP(1.0, 1.0, 0), [0, 1, 1], [0, 0, 1]),
    ],
    ids=["window", "window of a later document", "rcrp", "rcrp without memory"],
)
def test_impossible_init_is_refused(prior: Any, times: Any, init: Any) -> None:
    assert_refused("init", sample, prior=prior, times=times, init=init)
    assert log_joint(prior=prior, times=times, labels=init) == -math.inf


BAD_SAMPLES = {
    "every document": [0, 0, 1],
    "more than every document": [[0, 0, 1, 1]],
    "no draws": np.zeros((0, 2), np.int64),
    "three-dimensional": np.zeros((1, 1, 2), np.int64),
    "ragged": [[0], [0, 1]],
    "floats": [[0.0, 1.0]],
    "text": [["a", "b"]],
    "booleans": [[True, False]],
    "none": None,
    "huge": [[0, HUGE]],
}


@pytest.mark.parametrize("samples", BAD_SAMPLES.values(), ids=list(BAD_SAMPLES))
def test_bad_samples_are_refused(samples: Any) -> None:
    assert_refused("samples", held_out, samples=samples)


# How to run.

NO_WHOLE_NUMBER = [-1, 1.0, 0.5, math.nan, math.inf, "1", None, True, [1], np.array([1, 2])]


BAD_RUNS: dict[str, list[Any]] = {
    "draws": [*NO_WHOLE_NUMBER, 0, 10**30, HUGE],
    "burn_in": NO_WHOLE_NUMBER,
    "lag": [*NO_WHOLE_NUMBER, 0],
    "seed": NO_WHOLE_NUMBER,
    "scan": ["backward", "Random", "", None, 1, True, ["random"]],
}


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        pytest.param(argument, value, id=f"{argument}-{brief(value)}")
        for argument, values in BAD_RUNS.items()
        for value in values
    ],
)
def test_bad_run_is_refused(argument: str, value: Any) -> None:
    assert_refused(argument, sample, **{argument: value})


def test_whole_numbers_of_numpy_will_do() -> None:
    plain = sample(draws=3, burn_in=2, lag=2, seed=5)
    numpy = sample(draws=np.int64(3), burn_in=np.uint8(2), lag=np.int32(2), seed=np.uint64(5))
    assert numpy.tolist() == plain.tolist()


def test_seed_may_be_huge() -> None:
    assert sample(draws=20, seed=HUGE).tolist() == sample(draws=20, seed=HUGE).tolist()


# Odd but good.

PRIORS = pytest.mark.parametrize("prior", [CRP, TDPM, RCRP], ids=["crp", "tdpm", "rcrp"])
LABELLINGS = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]


@PRIORS
def test_one_document_is_one_thread(prior: Any) -> None:
    assert sample(prior, data=[[1, 2]], times=[5], draws=3, burn_in=2).tolist() == [[0]] * 3
    assert log_joint(prior, data=[[1, 0]], times=[5], labels=[7]) == pytest.approx(math.log(0.5))  # one of two words


@PRIORS
def test_documents_without_words_follow_the_prior(prior: Any) -> None:
    nothing = np.zeros((3, 2), np.int64)
    together = [log_joint(prior, data=nothing, times=[0, 0, 0], labels=labels) for labels in LABELLINGS]
    assert together == pytest.approx([math.log(2.0), 0.0, 0.0, 0.0, 0.0])
    assert sample(prior, data=nothing).shape == (1, 3)
    assert sample(prior, data=[[0, 0], [0, 0], [2, 1]], draws=5).shape == (5, 3)


@pytest.mark.parametrize(
    ("prior", "times"),
    [
        (TDPM, [4.5, 4.5, 4.5]),
        (core.TDPM(1.0, core.Window(0.0)), [4.5, 4.5, 4.5]),
        (core.TDPM(1.0, core.Window(0.0)), [-1e300, -1e300, -1e300]),
        (core.TDPM(1.0, core.Window(math.inf)), [0.0, 1.0, 1e9]),
        (RCRP, [4, 4, 4]),
        (core.RCRP(1.0, 1.0, 0), [-4, -4, -4]),
        (core.RCRP(1.0, math.inf, math.inf), [0, 3, 1000]),
        (core.RCRP(1.0, math.inf, 1000), [0, 3, 1000]),
    ],
    ids=[
        "tdpm at one time",
        "window 0 at one time",
        "window 0 at one time far away",
        "window without end",
        "rcrp in one epoch",
        "rcrp without memory in one epoch",
        "rcrp without decay and end",
        "rcrp without decay",
    ],
)
def test_without_forgetting_time_does_not_matter(prior: Any, times: Any) -> None:
    timeless = [log_joint(labels=labels) for labels in LABELLINGS]
    assert [log_joint(prior, times=times, labels=labels) for labels in LABELLINGS] == pytest.approx(timeless)
    assert sample(prior, times=times, draws=5).shape == (5, 3)


@pytest.mark.parametrize("prior", [core.TDPM(1.0, core.Window(0.0)), core.RCRP(1.0, 1.0, 0)], ids=["window", "rcrp"])
def test_width_0_keeps_threads_to_one_time(prior: Any) -> None:
    assert sample(prior, data=np.ones((4, 1)), times=[0, 1, 2, 3], draws=5).tolist() == [[0, 1, 2, 3]] * 5


def test_rcrp_forgets_epochs_far_away() -> None:
    assert sample(core.RCRP(1.0, 2.0, math.inf), times=[0, 1e6, 1e15], draws=5).tolist() == [[0, 1, 2]] * 5


def one_by_one(rows: np.ndarray) -> scipy.sparse.coo_array:
    """Every occurrence of a word as an entry of its own, and a zero for every word."""
    row, column = np.indices(rows.shape).reshape(2, -1)
    repeats = rows.ravel() + 1
    ones = np.ones(repeats.sum(), np.int64)
    ones[np.cumsum(repeats) - 1] = 0
    return scipy.sparse.coo_array((ones, (np.repeat(row, repeats), np.repeat(column, repeats))), shape=rows.shape)


ROWS = np.random.default_rng(0).integers(0, 3, (12, 4))
FORMATS: dict[str, Any] = {
    "list": ROWS.tolist(),
    "float": ROWS.astype(float),
    "uint8": ROWS.astype(np.uint8),
    "fortran": np.asfortranarray(ROWS),
    "csr": scipy.sparse.csr_array(ROWS),
    "csr of float32": scipy.sparse.csr_array(ROWS.astype(np.float32)),
    "csr of int8": scipy.sparse.csr_array(ROWS.astype(np.int8)),
    "csr matrix": scipy.sparse.csr_matrix(ROWS),
    "csc": scipy.sparse.csc_array(ROWS),
    "coo": scipy.sparse.coo_array(ROWS),
    "lil": scipy.sparse.lil_array(ROWS),
    "coo with repetitions and zeros": one_by_one(ROWS),
}


@pytest.mark.parametrize("data", FORMATS.values(), ids=list(FORMATS))
def test_format_of_counts_does_not_matter(data: Any) -> None:
    expected = sample(TDPM, data=ROWS, times=range(12), draws=5)
    assert len(np.unique(expected, axis=0)) > 1
    assert sample(TDPM, data=data, times=range(12), draws=5).tolist() == expected.tolist()


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.float32, np.uint64])
def test_narrow_types_of_counts_lose_nothing(kind: Any) -> None:
    """A word is listed so often that its count no longer fits the type of the entries."""
    entries = [100, 100, 100, 1] if np.dtype(kind).itemsize == 1 else [2**24, 1, 1, 1]
    places = ([0, 0, 0, 1], [0, 0, 0, 1])
    narrow = scipy.sparse.coo_array((np.array(entries, kind), places), shape=(2, 2))
    wide = scipy.sparse.coo_array((np.array(entries, np.int64), places), shape=(2, 2))
    assert log_joint(data=narrow, times=[0, 1], labels=[0, 0]) == log_joint(data=wide, times=[0, 1], labels=[0, 0])


def test_sample_leaves_its_arguments_alone() -> None:
    data = scipy.sparse.csr_array(([1, 0, 2], [1, 0, 0], [0, 2, 3]), shape=(2, 2))
    sample(data=data, times=[0, 1])
    assert (data.data.tolist(), data.indices.tolist()) == ([1, 0, 2], [1, 0, 0])


@pytest.mark.parametrize(
    "base", [[0.5, 0.5], (0.5, 0.5), np.array([0.5, 0.5], np.float32)], ids=["list", "tuple", "array"]
)
def test_uniform_base_is_the_default(base: Any) -> None:
    given = core.DirichletMultinomial(1.0, base)
    assert sample(likelihood=given, draws=5).tolist() == sample(draws=5).tolist()
    assert log_joint(likelihood=given) == log_joint()


def test_base_may_be_0_for_a_word_that_never_occurs() -> None:
    wider = np.hstack([COUNTS, np.zeros((3, 1), np.int64)])
    assert log_joint(likelihood=core.DirichletMultinomial(1.0, [0.5, 0.5, 0.0]), data=wider) == log_joint()


def test_labels_may_have_any_whole_names() -> None:
    assert log_joint(labels=[-7, -7, 2**62]) == log_joint(labels=[0, 0, 1])
    init = sample(init=np.array([9, 9, 4], np.uint8), draws=5)
    assert init.tolist() == sample(init=[0, 0, 1], draws=5).tolist()


def test_one_sample_may_stand_alone() -> None:
    assert held_out(samples=[0, 0]).tolist() == held_out(samples=[[0, 0], [5, 5]]).tolist()
