"""The quick reader of documents and moments gives what the strict one gives, whatever the text."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service import times
from service.api import quick_json
from service.api.operations import validated
from service.api.quick_json import document_of, documents_of
from service.api.schemas.documents import Batch, NewDocument
from service.api.strict_json import parse
from service.errors import Problem
from service.settings import Settings

SETTINGS = Settings(data_dir=Path("unused"), text_characters=50, metadata_bytes=200, batch_documents=3)
TIME = '"time":"2026-03-02T08:14:00Z"'
STRINGS = ["", "a", 'a"b', "a\\b", "a\nb", "é", "😀", "\0", "\ud83d", "\udc00", "\\u0000", '\\"', "x" * 51, "/"]
NUMBERS = ["0", "-0", "1.50", "1e5", "1e400", "NaN", "-Infinity", "9223372036854775807", "9223372036854775808", "01"]
NUMBERS += ["-9223372036854775808", "-9223372036854775809", "1" * 400, "0.1000000000000000055511151231257827", "true"]
KEYS = ["id", "time", "title", "text", "author", "vector", "metadata", "wat", "te\\u0078t", "documents"]
strings = st.one_of(st.sampled_from(STRINGS), st.text(max_size=8)).flatmap(
    lambda text: st.booleans().map(lambda escaped: json.dumps(text, ensure_ascii=escaped))
)
scalars = st.one_of(strings, st.sampled_from([*NUMBERS, "null", "false", "{", "]", ""]))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{','.join(items)}]"),
        st.lists(st.tuples(strings, inner), max_size=3).map(
            lambda pairs: "{" + ",".join(f"{key}:{value}" for key, value in pairs) + "}"
        ),
    ),
    max_leaves=6,
)
fields = st.one_of(
    st.tuples(st.sampled_from(["id", "title", "text", "author"]), strings),
    st.tuples(st.just("metadata"), values),
    st.tuples(st.just("vector"), st.lists(st.sampled_from(NUMBERS), max_size=3).map(lambda n: f"[{','.join(n)}]")),
    st.tuples(st.sampled_from(KEYS), values),
)
documents = st.lists(fields, max_size=4).map(
    lambda pairs: "{" + ",".join([TIME, *(f'"{key}":{value}' for key, value in pairs)]) + "}"
)


def outcome(read: Any, raw: bytes) -> Any:
    try:
        return read(raw)
    except Problem as problem:
        return problem.status, problem.code, problem.detail, problem.errors


def strict(raw: bytes) -> Any:
    return validated(NewDocument, parse(raw), SETTINGS)


def strict_many(raw: bytes) -> Any:
    value = parse(raw)
    if isinstance(value, dict) and "documents" in value:
        return validated(Batch, value, SETTINGS).documents, True
    return [validated(NewDocument, value, SETTINGS)], False


@given(documents)
@example(f'{{{TIME},"text":"a","text":"a"}}')
@example(f'{{{TIME},"text":"a","metadata":{{"a":1,"a":1}}}}')
@example(f'{{{TIME},"text":"a\\u0000"}}')
@example(f'{{{TIME},"text":"a\\\\","title":"\\""}}')
@example(f'{{{TIME},"text":"a","metadata":{{"n":{"1" * 400}}}}}')
@example(f'{{{TIME},"vector":[{"1" * 30}]}}')
@example(f'{{{TIME},"vector":[-0,-0.0,1]}}')
def test_one_document(text: str) -> None:
    raw = text.encode("utf-8", "surrogatepass")
    # repr tells 0 from 0.0 and -0.0
    assert repr(outcome(lambda raw: document_of(raw, SETTINGS), raw)) == repr(outcome(strict, raw))


@given(st.one_of(documents, st.lists(documents, max_size=4).map(lambda some: f'{{"documents":[{",".join(some)}]}}')))
@example(f'{{"documents":[],"documents":[{{{TIME},"text":"a"}}]}}')
@example(f'{{{TIME},"text":"a","title":"documents"}}')
def test_batches(text: str) -> None:
    raw = text.encode("utf-8", "surrogatepass")
    assert repr(outcome(lambda raw: documents_of(raw, SETTINGS), raw)) == repr(outcome(strict_many, raw))


@pytest.mark.parametrize(
    "raw", [b"", b"\xff", b"\xef\xbb\xbf{}", b"null", b"[" * 5_000, b'{"a":' * 5_000, b"{}x", b'{"a":NaN,{']
)
def test_what_is_no_document(raw: bytes) -> None:
    assert outcome(lambda raw: document_of(raw, SETTINGS), raw) == outcome(strict, raw)


def test_usual_documents_are_read_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick_json, "parse", None)
    usual: dict[str, Any] = {"id": "a", "time": "2026-03-02T08:14:00.5+01:00", "text": 'a "quoted"\n😀 line'}
    usual |= {"metadata": {"tags": ["a", {"b": None}], "size": 1.5, "read": True}}
    for document in (usual, {"time": usual["time"], "vector": [1, 2.5]}):
        for raw in (json.dumps(document).encode(), json.dumps(document, ensure_ascii=False).encode()):
            assert document_of(raw, SETTINGS).model_dump(exclude_unset=True) == document | {"time": 1772435640500000}
            assert documents_of(b'{"documents":[%s,%s]}' % (raw, raw), SETTINGS)[1]


shape = st.from_regex(r"\A[0-9]{4}-[01][0-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-6][0-9]:[0-6][0-9]", fullmatch=True)
ending = st.one_of(
    st.sampled_from(["Z", "z", ".5Z", ".123Z", ".123456Z", ".1234567Z", "+00:00", ".123-23:59", "+24:00", "", "W"]),
    st.from_regex(r"(\.[0-9]{0,10})?[+-][0-2][0-9]:[0-6][0-9]", fullmatch=True),
)


@given(st.one_of(st.tuples(shape, ending).map("".join), st.from_regex(r"[0-9WT:+-]{19}Z", fullmatch=True)))
@example("2026-W10-1T08:14:00Z")
@example("2026-03-02T08:14:0٣Z")
@example("2026-03-02T08:14:00+00:60")
@example("9999-12-31T23:59:59-23:59")
@example("1970-01-01T00:00:00+00:01")
def test_moments(text: str) -> None:
    def read(parser: Any) -> Any:
        try:
            return parser(text)
        except ValueError as error:
            return str(error)

    assert read(times.parse_moment) == read(times._parse_any)
