"""JSON read strictly: no NaN, repeated keys, NUL, lone surrogates or numbers beyond 64 bits; faults by pointer."""

import json
import re
from collections.abc import Iterator
from typing import Any

from service.errors import FieldError, Malformed, invalid

LARGEST = 2**63 - 1
MOST_FAULTS = 20
SEGMENT = re.compile(r"[\x21-\x7e]{1,64}")
SURROGATE = re.compile("[\ud800-\udfff]")
SENTENCES = {
    "not_finite": "must be a finite number",
    "number_out_of_range": "must fit in 64 bits",
    "duplicate_key": "this key is given twice in its object",
    "forbidden_character": "must not contain NUL or a lone surrogate",
}


class _Fault:
    """Stands in the parsed value where something is not allowed."""

    def __init__(self, code: str) -> None:
        self.code = code


class _Suspect(Exception):
    """Something is not allowed; read again to say where."""


def parse(raw: bytes) -> Any:
    """The value of a JSON text; raises Malformed when it cannot be read, Invalid with pointers when it may not be."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Malformed(f"Byte {error.start} of the JSON text is not UTF-8.", code="not_utf8") from None
    try:
        value, suspect = _decode(text)
    except json.JSONDecodeError as error:
        raise Malformed(f"Not JSON at character {error.pos}.", code="not_json") from None
    except RecursionError:
        raise Malformed("The JSON text is nested too deeply.", code="too_deep") from None
    if suspect or "\\u" in text:  # only escapes can bring NUL and lone surrogates
        refuse(value)
    return value


def _decode(text: str) -> tuple[Any, bool]:
    """The value, and whether it holds something that is not allowed."""
    try:
        return _FAST.decode(text), False
    except _Suspect:
        return _MARKING.decode(text), True


def refuse(value: Any) -> None:
    """Raise Invalid if the value holds a fault, a forbidden character or key."""
    faults = []
    for fault in _faults(value):
        faults.append(fault)
        if len(faults) == MOST_FAULTS:
            break
    if faults:
        raise invalid(faults)


def pointer(parts: tuple[int | str, ...]) -> str:
    """The JSON pointer of a place; a part that is not plain short ASCII is shown as *."""
    return "#" + "".join(f"/{_segment(str(part))}" for part in parts)


def forbidden(text: str) -> bool:
    """Whether the text holds NUL or a lone surrogate."""
    return "\0" in text or SURROGATE.search(text) is not None


def _segment(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1") if SEGMENT.fullmatch(part) else "*"


def _faults(value: Any) -> Iterator[FieldError]:
    waiting: list[tuple[tuple[int | str, ...], Any]] = [((), value)]
    while waiting:
        place, item = waiting.pop()
        code = item.code if isinstance(item, _Fault) else None
        if isinstance(item, str) and forbidden(item):
            code = "forbidden_character"
        elif isinstance(item, dict):
            waiting.extend(((*place, key), part) for key, part in item.items())
            code = "forbidden_character" if any(forbidden(key) for key in item) else None
        elif isinstance(item, list):
            waiting.extend(((*place, index), part) for index, part in enumerate(item))
        if code:
            yield FieldError(pointer(place), code, SENTENCES[code])


def _integer(digits: str) -> int | _Fault:
    if len(digits) > 20 or not -LARGEST - 1 <= int(digits) <= LARGEST:
        return _Fault("number_out_of_range")
    return int(digits)


def _number(digits: str) -> float | _Fault:
    value = float(digits)
    return _Fault("number_out_of_range") if value in (float("inf"), float("-inf")) else value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen = set()
        for key, _ in pairs:
            if key in seen:
                found[key] = _Fault("duplicate_key")
            seen.add(key)
    return found


def _raising_integer(digits: str) -> int:
    value = _integer(digits)
    if isinstance(value, _Fault):
        raise _Suspect
    return value


def _raising_number(digits: str) -> float:
    value = _number(digits)
    if isinstance(value, _Fault):
        raise _Suspect
    return value


def _raising_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Suspect
    return found


def _raising_constant(_: str) -> Any:
    raise _Suspect


_FAST = json.JSONDecoder(
    object_pairs_hook=_raising_object,
    parse_int=_raising_integer,
    parse_float=_raising_number,
    parse_constant=_raising_constant,
)
_MARKING = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_number,
    parse_constant=lambda _: _Fault("not_finite"),
)
