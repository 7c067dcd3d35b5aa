"""Mail as it is on the wire to its fields and its text: the parts that people wrote, without attachments.

Quoted replies and signatures stay; they are left out when a document is cut into words, so that the stored text is the
message's own.
"""

import email.parser
import email.policy
import email.utils
import re
from collections.abc import Iterator
from email.message import Message
from typing import NamedTuple

from .charsets import clean, decode
from .html import html_to_text
from .mail_headers import decoded, field, message_ids, moment, raw_fields

MOST_REFERENCES = 40  # the nearest ancestors; long discussions repeat hundreds
STUB = 200  # characters; a plain part that is shorter may only say "see the HTML part"
DEEPEST = 50  # parts within parts
META_CHARSET = re.compile(rb"""<meta[^>]{1,200}charset\s{0,9}=\s{0,9}["']?([A-Za-z0-9_:.-]{1,40})""", re.I)


class Mail(NamedTuple):
    """What a message says of itself. Ids are without brackets; times are in microseconds since 1970."""

    message_id: str | None
    times: tuple[int, ...]  # of the Date header and of the last Received header, those that are moments
    subject: str
    sender: str
    references: list[str]  # from the oldest to the nearest
    in_reply_to: str | None
    list_id: str | None
    text: str


class BrokenMail(ValueError):
    """Bytes that are no message; says why."""


def read_mail(raw: bytes) -> Mail:
    """The fields and the text of a raw message. Raises BrokenMail if it has no header or cannot be taken apart."""
    try:
        message = email.parser.BytesParser(policy=email.policy.compat32).parsebytes(raw)
        if not any(field(message, name) for name in ("from", "date", "subject", "message-id", "received")):
            raise BrokenMail("has none of the headers From, Date, Subject, Message-ID and Received")
        return _fields(message)
    except RecursionError as error:
        raise BrokenMail("has parts nested too deeply") from error


def _fields(message: Message) -> Mail:
    own = [name for raw in raw_fields(message, "message-id") for name in message_ids(raw)]
    replied = [name for raw in raw_fields(message, "in-reply-to") for name in message_ids(raw)]
    references = [name for raw in raw_fields(message, "references") for name in message_ids(raw)]
    list_id = field(message, "list-id")
    return Mail(
        message_id=own[0] if own else None,
        times=tuple(at for raw in _dates(message) if (at := moment(raw)) is not None),
        subject=field(message, "subject"),
        sender=_sender(message),
        references=list(dict.fromkeys(references))[-MOST_REFERENCES:],
        in_reply_to=replied[0] if replied else None,
        list_id=list_id.rpartition("<")[2].rstrip(">") or None,
        text=text_of(message),
    )


def text_of(message: Message) -> str:
    """What people wrote in the message; of a message that only carries others, their texts."""
    return "\n\n".join(_texts(message, 0)) or "\n\n".join(_carried(message))


def _dates(message: Message) -> Iterator[str]:
    """Date headers, then the moment at the end of the newest Received header."""
    yield from raw_fields(message, "date")
    for received in raw_fields(message, "received"):
        yield received.rpartition(";")[2]
        return


def _sender(message: Message) -> str:
    raw = next(raw_fields(message, "from"), "")
    name, address = email.utils.parseaddr(raw)
    if "@" not in address:
        return field(message, "from")
    return f"{decoded(name)} <{decoded(address)}>" if name else decoded(address)


def _texts(part: Message, depth: int) -> Iterator[str]:
    """The texts of a part and of the parts in it, in their order."""
    kind = part.get_content_type()
    if depth > DEEPEST or kind == "message/rfc822" or _attached(part):
        return
    if part.is_multipart():
        children = [child for child in part.get_payload() if isinstance(child, Message)]
        if kind == "multipart/alternative":
            yield from _best(children, depth + 1)
        else:
            for child in children:
                yield from _texts(child, depth + 1)
    elif kind in ("text/plain", "text/html", "text/enriched"):
        text = _leaf(part)
        if text.strip():
            yield text


def _best(alternatives: list[Message], depth: int) -> list[str]:
    """One of several forms of the same: the plain one, unless it is a stub beside a longer one."""
    forms = [list(_texts(form, depth)) for form in alternatives]
    plain = next((form for form in forms if form), [])
    longest = max(forms, key=lambda form: sum(map(len, form)), default=[])
    length = sum(map(len, plain))
    return longest if length < STUB and sum(map(len, longest)) > 4 * length else plain


def _carried(message: Message) -> Iterator[str]:
    """Texts of the messages within a message, as in a digest or a forwarded mail."""
    for part in message.walk():
        if part.get_content_type() == "message/rfc822" and part.is_multipart():
            for carried in part.get_payload():
                if isinstance(carried, Message) and any(texts := list(_texts(carried, 1))):
                    yield "\n\n".join([field(carried, "subject"), *texts])


def _attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or part.get_filename() is not None


def _leaf(part: Message) -> str:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset()
    if part.get_content_type() == "text/plain":
        return clean(decode(data, charset)).strip("\n")
    declared = META_CHARSET.search(data[:2_000]) if charset is None else None
    return clean(html_to_text(decode(data, declared[1].decode() if declared else charset)))
