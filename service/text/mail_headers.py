"""Header fields of mail as they come: encoded words, ids and dates, however broken."""

import binascii
import email.utils
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from email.message import Message
from itertools import groupby
from typing import NamedTuple

from service.times import EPOCH, MICROSECOND

from .charsets import clean, decode

LONGEST = 10_000  # characters of a header that are looked at
ENCODED_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=")
Q_BYTE = re.compile(rb"=([0-9A-Fa-f]{2})")
BRACKETED = re.compile(r"<([^<>\s]{1,500})>")
FIRST_YEAR = 1971  # that of the first mail; earlier dates are of clocks that were never set


class Word(NamedTuple):
    """An encoded word (RFC 2047), or what stands between two; then charset is empty."""

    charset: str
    data: bytes


def field(message: Message, name: str) -> str:
    """A header as text on one line, its encoded words decoded; empty if there is none."""
    return decoded(next(raw_fields(message, name), ""))


def raw_fields(message: Message, name: str) -> Iterator[str]:
    """All headers of the name as they are, beginning with the first; bytes beyond ASCII are escaped."""
    return (str(value)[:LONGEST] for key, value in message.raw_items() if key.lower() == name)


def decoded(raw: str) -> str:
    """The text of a raw header: encoded words (RFC 2047) decoded, in whatever charset the rest is."""
    if raw.isascii() and "=?" not in raw:
        return _one_line(raw)
    parts = [
        decode(b"".join(word.data for word in words), charset or None)
        for charset, words in groupby(_words(raw), key=lambda word: word.charset)
    ]
    return _one_line("".join(parts))


def message_ids(raw: str) -> list[str]:
    """The ids in a Message-ID, References or In-Reply-To header, without their brackets."""
    found: list[str] = [_one_line(name) for name in BRACKETED.findall(raw)]
    bare = _one_line(raw).strip("<>")
    return found or ([bare] if "@" in bare and " " not in bare else [])


def moment(raw: str) -> int | None:
    """Microseconds since 1970 of a Date header, or None if there is no such moment."""
    try:
        parts = email.utils.parsedate_tz(raw[:200])
        if parts is None:
            return None
        zone = timezone(timedelta(seconds=parts[9] or 0))
        date = datetime(*parts[:5], min(parts[5], 59), tzinfo=zone).astimezone(UTC)  # 60 is a leap second
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    return (date - EPOCH) // MICROSECOND if date.year >= FIRST_YEAR else None


def _words(raw: str) -> Iterator[Word]:
    """Encoded words and what is between; white space between two encoded words is not part of the text."""
    end = 0
    for match in ENCODED_WORD.finditer(raw):
        between = raw[end : match.start()]
        if between.strip() or (between and end == 0):
            yield Word("", _bytes(between))
        yield Word(match[1].partition("*")[0].lower(), _encoded(match[2], match[3]))  # RFC 2231: charset*language
        end = match.end()
    if raw[end:]:
        yield Word("", _bytes(raw[end:]))


def _encoded(how: str, text: str) -> bytes:
    data = _bytes(text)
    if how in "qQ":
        return Q_BYTE.sub(lambda match: bytes.fromhex(match[1].decode()), data.replace(b"_", b" "))
    try:
        return binascii.a2b_base64(data + b"===")
    except binascii.Error:
        return data


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _one_line(text: str) -> str:
    return " ".join(clean(text).split())
