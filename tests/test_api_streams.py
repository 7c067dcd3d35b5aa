"""Streams: created, listed, read, changed by merge patch under If-Match, deleted; good defaults."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.store.database import Database
from tests.api import DOCUMENT, Server, assert_problem, serving
from tests.story import tell


@pytest.fixture
def server(database: Database, database_url: str, tmp_path: Path) -> Iterator[Server]:
    with serving(database, tmp_path, database_url, streams=8) as running:
        yield running


def test_a_stream_lives_and_dies(server: Server) -> None:
    made = server.post("/v1/streams", {"name": "mail", "settings": {"half_life": "3d", "window": "P14D"}})
    assert made.status_code == 201
    assert made.headers["location"] == "/v1/streams/mail"
    stream = made.json()
    assert stream["settings"]["half_life"] == "P3D"
    assert stream["settings"]["window"] == "P14D"
    assert stream["settings"]["model"] == "tdpm"
    assert server.client.get("/v1/streams/mail").json() == stream
    assert server.client.get(f"/v1/streams/{stream['id']}").json() == stream
    assert_problem(server.post("/v1/streams", {"name": "mail"}), 409, "stream_exists")
    task = server.client.delete("/v1/streams/mail")
    assert task.status_code == 202
    assert server.client.get(task.headers["location"]).json()["type"] == "stream_deletion"
    assert [one["id"] for one in server.client.get("/v1/tasks?type=stream_deletion").json()["data"]] == [
        task.json()["id"]
    ]
    assert_problem(server.client.get("/v1/streams/mail"), 404)
    assert_problem(server.client.delete("/v1/streams/mail"), 404)
    assert server.post("/v1/streams", {"name": "mail"}).status_code == 201


def test_settings_change_by_merge_patch_of_the_version_read(server: Server) -> None:
    made = server.post("/v1/streams", {"name": "mail", "settings": {"alpha": 2.5, "limits": {"vocabulary": 5000}}})
    old = made.headers["etag"]
    patch = {"settings": {"window": "60d", "alpha": None, "limits": {"vocabulary": 7000}}}
    kind = {"Content-Type": "application/merge-patch+json"}
    changed = server.client.patch("/v1/streams/mail", json=patch, headers={"If-Match": old, **kind})
    assert changed.status_code == 200, changed.text
    settings = changed.json()["settings"]
    assert settings["window"] == "P60D"
    assert settings["alpha"] is None
    assert settings["limits"] == {"vocabulary": 7000, "window_documents": 1000}
    assert changed.headers["etag"] != old
    assert_problem(server.client.patch("/v1/streams/mail", json=patch, headers={"If-Match": old}), 412)
    assert_problem(server.client.delete("/v1/streams/mail", headers={"If-Match": old}), 412)
    assert server.client.patch("/v1/streams/mail", json=patch, headers={"If-Match": "*"}).json() == changed.json()
    same = server.client.get("/v1/streams/mail", headers={"If-None-Match": f'"x", {changed.headers["etag"]}'})
    assert same.status_code == 304
    assert same.content == b""
    bad = server.client.patch("/v1/streams/mail", json={"settings": {"window": "x", "wat": 1}})
    pointers = {error["pointer"] for error in assert_problem(bad, 422)["errors"]}
    assert pointers == {"#/settings/window", "#/settings/wat"}


def test_how_texts_are_read_can_change_at_any_time(server: Server) -> None:
    made = server.post("/v1/streams", {"name": "mail", "settings": {"text": {"format": "mail", "reply_weight": 2}}})
    assert made.json()["settings"]["text"] == {
        "format": "mail",
        "language": "auto",
        "title_weight": 5,
        "author_weight": 0,
        "reply_weight": 2,
    }
    server.post("/v1/streams/mail/documents", DOCUMENT)
    patch = {"settings": {"text": {"language": "de", "reply_weight": None}}}
    text = server.client.patch("/v1/streams/mail", json=patch).json()["settings"]["text"]
    assert (text["format"], text["language"], text["reply_weight"]) == ("mail", "de", 0)


def test_what_makes_threads_comparable_is_fixed_once_documents_are_there(server: Server) -> None:
    server.post("/v1/streams", {"name": "mail", "settings": {"model": "rcrp"}})
    assert server.client.patch("/v1/streams/mail", json={"settings": {"seed": 7}}).status_code == 200
    server.post("/v1/streams/mail/documents", DOCUMENT)
    for change in ({"seed": 8}, {"model": "crp"}, {"kind": "vectors", "dimensions": 3}, {"epoch": "2d"}):
        problem = assert_problem(server.client.patch("/v1/streams/mail", json={"settings": change}), 409)
        assert problem["code"] == "setting_fixed"
    assert server.client.patch("/v1/streams/mail", json={"settings": {"half_life": "2d"}}).status_code == 200


def test_bad_settings_are_refused_by_pointer(server: Server) -> None:
    cases = {
        "#/name": {"name": "Mail"},
        "#/settings/model": {"name": "m", "settings": {"model": "lda"}},
        "#/settings/window": {"name": "m", "settings": {"window": 30}},
        "#/settings/half_life": {"name": "m", "settings": {"half_life": "-1d"}},
        "#/settings/alpha": {"name": "m", "settings": {"alpha": 0}},
        "#/settings/seed": {"name": "m", "settings": {"seed": -1}},
        "#/settings/limits/vocabulary": {"name": "m", "settings": {"limits": {"vocabulary": 1}}},
        "#/settings/text/format": {"name": "m", "settings": {"text": {"format": "pdf"}}},
        "#/settings/text/language": {"name": "m", "settings": {"text": {"language": "xx"}}},
        "#/settings/text/title_weight": {"name": "m", "settings": {"text": {"title_weight": 11}}},
        "#/settings/text/reply_weight": {"name": "m", "settings": {"text": {"reply_weight": -1}}},
        "#/settings": {"name": "m", "settings": {"kind": "vectors"}},
        "#/wat": {"name": "m", "wat": 1},
    }
    for pointer, body in cases.items():
        problem = assert_problem(server.post("/v1/streams", body), 422)
        assert [error["pointer"] for error in problem["errors"]] == [pointer]
    for settings in ({"lateness": "61d"}, {"max_future_skew": "2d"}, {"window": "0s"}, {"dimensions": 3}):
        assert_problem(server.post("/v1/streams", {"name": "m", "settings": settings}), 422)
    assert server.client.get("/v1/streams").json()["data"] == []


def test_lists_are_pages_with_signed_cursors(server: Server) -> None:
    names = [f"s{number}" for number in range(7)]
    for name in names:
        server.post("/v1/streams", {"name": name})
    seen, cursor = [], None
    while True:
        page = server.client.get("/v1/streams", params={"limit": 3} | ({"cursor": cursor} if cursor else {})).json()
        assert len(page["data"]) <= 3
        seen += [stream["name"] for stream in page["data"]]
        cursor = page["next_cursor"]
        if not page["has_more"]:
            break
    assert seen == names
    assert cursor is None
    first = server.client.get("/v1/streams?limit=3").json()["next_cursor"]
    forged = ("A" if first[0] != "A" else "B") + first[1:]
    for bad in (forged, first[:-1], first + "A", "A" * 30):
        assert_problem(server.client.get("/v1/streams", params={"cursor": bad}), 400, "bad_cursor")
    assert_problem(server.client.get("/v1/keys", params={"cursor": first}), 400, "bad_cursor")


def test_there_are_at_most_so_many_streams(server: Server) -> None:
    made = [server.post("/v1/streams", {"name": f"s{number}"}).status_code for number in range(9)]
    assert made == [201] * 8 + [409]
    assert_problem(server.post("/v1/streams/default/documents", DOCUMENT), 409, "too_many_streams")


def test_the_default_stream_needs_no_set_up(server: Server) -> None:
    assert_problem(server.client.get("/v1/streams/default"), 404)
    assert_problem(server.post("/v1/streams/other/documents", DOCUMENT), 404)
    assert server.post("/v1/streams/default/documents", DOCUMENT).status_code == 202
    assert server.client.get("/v1/streams/default").status_code == 200


def test_statistics_say_how_a_stream_is_doing(server: Server, database: Database) -> None:
    tell(database)
    stats = server.client.get("/v1/streams/default/stats").json()
    assert (stats["accepted"], stats["pending"]) == (5, 1)
    assert stats["lag_seconds"] > 0
    assert stats["window"]["documents"] == 4
    assert stats["half_life_seconds"] == 86_400
    assert stats["lease"] == {"held": False, "epoch": 0, "expires_at": None}
