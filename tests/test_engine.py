"""The model in memory: settings become models, times become moments and back, words fit their limit."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import core
from service.engine.contents import Arrival, runs
from service.engine.live import LiveStream
from service.engine.load import new_stream
from service.engine.models import DAY, StreamSettings, core_time, fixed_knobs, moment_of, new_likelihood, new_prior
from service.engine.predict import predict
from service.engine.statistics import describe_model

YEAR_2100 = 4_102_444_800_000_000  # microseconds


def test_absent_settings_have_their_defaults() -> None:
    settings = StreamSettings.read({"window": "P3D", "limits": {"vocabulary": 9}, "alpha": None})
    assert (settings.model, settings.window, settings.lateness, settings.vocabulary) == ("tdpm", 3 * DAY, 3 * DAY, 9)
    assert fixed_knobs(settings) == set()


@pytest.mark.parametrize("model", ["tdpm", "rcrp", "crp"])
def test_what_is_set_is_fixed(model: str) -> None:
    settings = StreamSettings.read({"model": model, "half_life": "12h", "alpha": 2.0, "strength": 30.0})
    live = LiveStream(settings, new_stream(settings))
    found = describe_model(live)
    assert (found["alpha"], found["strength"]) == (2.0, 30.0)
    assert found["half_life"] == (None if model == "crp" else pytest.approx(43_200))
    assert {"alpha", "strength"} <= fixed_knobs(settings)
    assert new_prior(settings).alpha == 2.0


def test_vectors_have_variances_that_suit_unit_vectors() -> None:
    likelihood = new_likelihood(StreamSettings.read({"kind": "vectors", "dimensions": 4}))
    assert isinstance(likelihood, core.Gaussian)
    assert 4 * (likelihood.noise + likelihood.spread) == pytest.approx(1)


@given(st.integers(0, YEAR_2100), st.sampled_from(["tdpm", "rcrp"]))
def test_moments_and_times_keep_their_order(moment: int, model: str) -> None:
    settings = StreamSettings(model=model)
    time = core_time(settings, moment)
    first = moment_of(settings, time)
    assert first <= moment
    assert core_time(settings, first) == time
    assert core_time(settings, first - 1) < time
    if model == "tdpm":
        assert first == moment


@given(st.lists(st.integers(1, 100), unique=True, min_size=1).map(sorted))
def test_runs_have_no_gaps_and_lose_nothing(seqs: list[int]) -> None:
    parts = [seqs[run] for run in runs(seqs, (16, 32))]
    assert [seq for part in parts for seq in part] == seqs
    for part in parts:
        assert part == list(range(part[0], part[-1] + 1))
        assert not {16, 32} & set(part[:-1])


def test_words_beyond_the_limit_are_dropped() -> None:
    settings = StreamSettings.read({"limits": {"vocabulary": 3}})
    live = LiveStream(settings, new_stream(settings))
    live.place([Arrival(seq, seq * DAY, None, "river bridge flood market", None) for seq in (1, 2)])
    live.place([Arrival(3, 3 * DAY, None, "shares river", None)])
    step = live.take_step()
    assert [list(placed.words or ()) for placed in step.placed.values()] == [["river", "bridg", "flood"]] * 2 + [
        ["river"]
    ]


def test_vectors_find_their_threads_and_predictions_sum_to_one() -> None:
    settings = StreamSettings.read({"kind": "vectors", "dimensions": 8})
    live = LiveStream(settings, new_stream(settings))
    rng = np.random.default_rng(1)
    centres = np.linalg.qr(rng.normal(size=(8, 8)))[0][:2]
    points = [centres[i % 2] + rng.normal(0, 0.05, 8) for i in range(40)]
    live.place(
        [Arrival(i + 1, DAY + i * DAY // 100, None, None, p.astype("<f8").tobytes()) for i, p in enumerate(points)]
    )
    step = live.take_step()
    threads = [placed.thread for placed in step.placed.values()]
    assert threads == threads[:2] * 20
    assert threads[0] != threads[1]
    (answer,) = predict(live, [{"time": 2 * DAY, "vector": centres[0].tolist()}], 1)
    assert answer["threads"][0]["thread"] == threads[0]
    assert answer["new"] + answer["other"] + answer["threads"][0]["probability"] == pytest.approx(1)


def test_placements_and_predictions_read_texts_as_the_stream_says() -> None:
    settings = StreamSettings.read({"text": {"format": "mail", "reply_weight": 2, "author_weight": 1}})
    live = LiveStream(settings, new_stream(settings))
    title, text, author = "Re: [list] Bridges", "I agree.\n> the river", "Anna <anna@example.org>"
    metadata = {"message_id": "<b@x>", "in_reply_to": "<a@x>"}
    live.place([Arrival(1, DAY, title, text, None, author, json.dumps(metadata))])
    words = live.take_step().placed[1].words
    assert words is not None
    assert words == {"bridg": 5, "agre": 1, "anna@example.org": 1, "message:b@x": 2, "message:a@x": 2}
    mail = {"time": DAY, "title": title, "text": text, "author": author, "metadata": metadata}
    told = predict(live, [mail], 1)[0]
    assert told["tokens"] == sum(words.values())
    plain = StreamSettings.read({"text": {"format": "plain"}})
    assert count_of(plain, "I agree.\n> the river") == {"agre": 1, "river": 1}


def count_of(settings: StreamSettings, text: str) -> dict[str, int]:
    live = LiveStream(settings, new_stream(settings))
    live.place([Arrival(1, DAY, None, text, None)])
    return live.take_step().placed[1].words or {}


def test_mails_that_answer_each_other_are_one_thread_where_headers_count() -> None:
    """Nothing but the headers says which of the two matters a mail is about."""
    threads = []
    for weight in (0, 3):
        settings = StreamSettings.read({"text": {"format": "mail", "reply_weight": weight}})
        live = LiveStream(settings, new_stream(settings))
        mails = []
        for n in range(1, 41):
            root = f"<{2 - n % 2}@x>"
            given = {"message_id": f"<{n}@x>", "references": [root] if n > 2 else []}
            mails.append(Arrival(n, DAY + n, None, f"w{n}x w{n}y w{n}z", None, None, json.dumps(given)))
        live.place(mails)
        for _ in range(10):
            live.resample(40)
        threads.append(live.stream.names().tolist())
    assert len(set(threads[0])) > 2
    assert len(set(threads[1])) == 2
    assert threads[1] == threads[1][:2] * 20
