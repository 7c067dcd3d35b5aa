"""Documents changed after they were sent: replaced, erased, tried again; and ids and vectors of all kinds."""

import json

from service.store import assignments, streams
from service.store.assignments import AssignmentRow
from service.store.database import Database
from tests.api import DOCUMENT, NOON, Server, assert_problem
from tests.story import START
from tests.test_api_documents import URL, server

__all__ = ["server"]  # a fixture


def test_replacing_erases_the_old_content(server: Server, database: Database) -> None:
    server.post(URL, DOCUMENT)
    replaced = server.client.put(f"{URL}/mail-1", json={"time": NOON, "text": "new content"})
    assert replaced.status_code == 202
    assert replaced.json()["items"] == [{"id": "mail-1", "status": "replaced", "seq": 2, "assignment": None}]
    assert server.client.get(f"{URL}/mail-1").json()["text"] == "new content"
    assert server.client.get("/v1/streams/default/stats").json()["pending_erasures"] == 1
    assert server.client.put(f"{URL}/mail-1", json={"time": NOON, "text": "new content"}).json()["duplicates"] == 1
    assert server.client.put(f"{URL}/fresh", json={"time": NOON, "text": "x"}).json()["accepted"] == 1
    assert_problem(server.client.put(f"{URL}/a", json={"id": "b", "time": NOON, "text": "x"}), 422)


def test_erased_documents_are_gone_at_once_and_cannot_come_back(server: Server) -> None:
    for name in ("mail-1", "b", "c"):
        server.post(URL, DOCUMENT | {"id": name})
    task = server.client.delete(f"{URL}/mail-1")
    assert task.status_code == 202
    assert server.client.get(task.headers["location"]).json()["details"]["documents"] == 1
    assert_problem(server.client.get(f"{URL}/mail-1"), 404)
    assert_problem(server.client.delete(f"{URL}/mail-1"), 404)
    assert_problem(server.post(URL, DOCUMENT), 409, "erased")
    several = server.post(f"{URL}/delete", {"ids": ["b", "c", "never"]})
    assert several.json()["details"] == {"requested": 3, "documents": 2, "erased": 0}
    assert server.client.get(URL).json()["data"] == []


def test_a_quarantined_document_can_be_tried_again(server: Server, database: Database) -> None:
    server.post(URL, DOCUMENT)
    assert_problem(server.client.post(f"{URL}/mail-1/retry"), 409, "not_quarantined")
    with database.write() as connection:
        stream = streams.find(connection, "default")
        assert stream
        row = AssignmentRow(1, START, "quarantined", None, None, 1, None, None, None, "ValueError")
        assignments.place(connection, stream.id, [row])
    listed = server.client.get(URL, params={"state": "quarantined"}).json()["data"]
    assert [(one["id"], one["error"], one["assignment"]) for one in listed] == [("mail-1", "ValueError", None)]
    again = server.client.post(f"{URL}/mail-1/retry")
    assert again.status_code == 202
    assert (again.json()["state"], again.json()["seq"]) == ("pending", 2)


def test_ids_may_be_addresses(server: Server) -> None:
    for name in ("https://example.org/a?b=c&d", "<a@b>", "bulk", "50%", "a//b", "x/retry"):
        assert server.post(URL, DOCUMENT | {"id": name}).status_code == 202
        path = f"{URL}/" + "".join(f"%{ord(letter):02X}" for letter in name)
        assert server.client.get(path).json()["id"] == name
        assert_problem(server.client.get(f"{path}/assignment"), 409, "pending")


def test_vectors_go_to_streams_of_vectors(server: Server) -> None:
    made = server.post("/v1/streams", {"name": "vec", "settings": {"kind": "vectors", "dimensions": 3}})
    assert made.status_code == 201
    url = "/v1/streams/vec/documents"
    assert server.post(url, {"id": "a", "time": NOON, "vector": [1, -2.5, 1e-300]}).status_code == 202
    assert server.client.get(f"{url}/a").json()["vector"] == [1.0, -2.5, 1e-300]
    for body, pointer in (
        ({"vector": [1, 2]}, "#/vector"),
        ({"text": "x"}, "#/vector"),
        ({"vector": []}, "#/vector"),
        ({"vector": [1, 2, "3"]}, "#/vector/2"),
        ({"vector": [1, 2, True]}, "#/vector/2"),
    ):
        problem = assert_problem(server.post(url, {"time": NOON, **body}), 422)
        assert problem["errors"][0]["pointer"] == pointer, json.dumps(body)
    problem = assert_problem(server.post(URL, {"time": NOON, "vector": [1.0]}), 422)
    assert problem["errors"][0]["code"] == "text_required"
