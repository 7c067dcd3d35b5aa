"""A raw message to a document, the same for every kind of mailbox."""

from typing import Any

from service.text.mime import BrokenMail, Mail, read_mail

from .items import LONGEST_AUTHOR, LONGEST_TITLE, Clock, Found, content_id, fitting_id, short

LARGEST = 16 << 20  # bytes of a message that are looked at; what follows is attachments
LONGEST_REFERENCE = 250  # characters
AHEAD = 86_400 * 1_000_000  # microseconds by which a sender's clock may be ahead


def mail_document(raw: bytes, clock: Clock, arrived: int | None = None) -> Found:
    """The document of a message; arrived: when the mailbox got it, if it knows. Raises BrokenMail."""
    mail = read_mail(raw)
    latest = clock() + AHEAD
    times = [at for at in (*mail.times, arrived) if at is not None]
    time = next((at for at in times if at <= latest), None)
    if time is None:
        reason = "its dates lie in the future" if times else "it has no Date or Received header with a possible date"
        raise BrokenMail(reason)
    return Found(
        id=_id(mail, time),
        time=min(time, clock()),
        title=short(mail.subject, LONGEST_TITLE),
        author=short(mail.sender, LONGEST_AUTHOR),
        text=mail.text,
        metadata=_metadata(mail),
    )


def _id(mail: Mail, time: int) -> str:
    if mail.message_id:
        return fitting_id(mail.message_id)
    return content_id("mail", time, mail.sender, mail.subject, mail.text)


def _metadata(mail: Mail) -> dict[str, Any] | None:
    fields = {
        "message_id": mail.message_id,
        "references": [name for name in mail.references if len(name) <= LONGEST_REFERENCE],
        "in_reply_to": mail.in_reply_to,
        "list_id": mail.list_id,
    }
    return {name: value for name, value in fields.items() if value} or None
