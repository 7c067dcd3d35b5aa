"""Which settings go with which model: what makes no sense is refused with a reason."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.store.database import Database
from tests.api import Server, assert_problem, serving

VECTORS: dict[str, Any] = {"kind": "vectors", "dimensions": 4}


@pytest.fixture
def server(sqlite_url: str, tmp_path: Path) -> Iterator[Server]:
    database = Database(sqlite_url)
    with serving(database, tmp_path, sqlite_url) as running:
        yield running
    database.dispose()


def test_every_model_takes_words_and_vectors(server: Server) -> None:
    for model in ("tdpm", "rcrp", "crp", "addcrp", "ddcrp", "dpchain", "hdp_evo"):
        for kind in ("words", "vectors"):
            settings = {"model": model} | (VECTORS if kind == "vectors" else {})
            made = server.post("/v1/streams", {"name": f"{model}-{kind}", "settings": settings})
            assert made.status_code == 201, made.text
    evolving: dict[str, Any] = {"model": "rcrp", "evolving": True}
    for n, settings in enumerate((evolving, evolving | {"drift": 0.1} | VECTORS)):
        made = server.post("/v1/streams", {"name": f"evolving-{n}", "settings": settings})
        assert made.status_code == 201, made.text


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"model": "crp", "half_life": "3d"}, "half_life goes with the model"),
        ({"epoch": "2d"}, "epoch goes with the model rcrp or dpchain or hdp_evo, not with tdpm"),
        ({"model": "hdp_evo", "width": 3}, "width goes with the model rcrp, not with hdp_evo"),
        ({"kind": "vectors"}, "kind vectors needs dimensions"),
        ({"modell": "crp"}, "there is no such field here"),
        ({"model": "tdpm", "evolving": True}, "evolving goes with the model rcrp, not with tdpm"),
        ({"model": "ddcrp", "distance": "mean"}, "distance goes with the model addcrp"),
        ({"model": "rcrp", "drift": 0.1}, "drift goes with evolving"),
        ({"model": "rcrp", "evolving": True, "strength": 10.0}, "no strength"),
        ({"noise": 0.1}, "noise and spread go with kind vectors"),
        ({"strength": 3.0, **VECTORS}, "strength goes with kind words"),
        ({"model": "magic"}, "tdpm"),
        ({"model": "ddcrp", "limits": {"window_documents": 100_000}}, "2000"),
    ],
)
def test_what_does_not_suit_the_model_is_refused(server: Server, settings: dict[str, Any], reason: str) -> None:
    problem = assert_problem(server.post("/v1/streams", {"name": "s", "settings": settings}), 422)
    assert reason in problem["errors"][0]["detail"]
    assert problem["errors"][0]["pointer"].startswith("#/settings")


def test_an_epoch_is_as_usual_for_the_model_and_then_stays(server: Server) -> None:
    def epoch(settings: dict[str, Any]) -> str:
        return str(server.client.patch("/v1/streams/mail", json={"settings": settings}).json()["settings"]["epoch"])

    made = server.post("/v1/streams", {"name": "mail", "settings": {"model": "dpchain", "window": "20d"}})
    assert made.json()["settings"]["epoch"] == "P10D"
    assert epoch({"window": "40d"}) == "P10D"  # not to move under documents
    assert epoch({"epoch": None}) == "P20D"
    assert epoch({"model": "hdp_evo"}) == "P1D"
    assert epoch({"model": "dpchain"}) == "P20D"
    assert epoch({"epoch": "3d"}) == epoch({"model": "rcrp"}) == "P3D"  # what was asked for is kept
    asked = server.post("/v1/streams/mail/comparisons", {"settings": {"model": "tdpm", "epoch": None}})
    assert asked.json()["details"]["settings"]["epoch"] == "P1D"


def test_a_comparison_leaves_out_what_the_other_model_does_not_know(server: Server) -> None:
    own = {"model": "rcrp", "half_life": "3d", "evolving": True, "drift": 0.1, "width": 3}
    server.post("/v1/streams", {"name": "mail", "settings": own})
    asked = server.post("/v1/streams/mail/comparisons", {"settings": {"model": "crp"}})
    assert asked.status_code == 202, asked.text
    found = asked.json()["details"]["settings"]
    assert (found["half_life"], found["evolving"], found["drift"], found["width"]) == (None, False, None, 7)
