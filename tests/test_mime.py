"""Mail as it comes: charsets, encodings, nested and broken parts, odd headers."""

import base64
import quopri
from datetime import UTC, datetime
from email.message import EmailMessage

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from service.text.mime import BrokenMail, Mail, read_mail

HEAD = (
    b"From: Ann <ann@example.org>\nDate: Mon, 2 Mar 2026 09:14:00 +0100\nSubject: Probes\nMessage-ID: <1@example.org>\n"
)
RUSSIAN = "Завтра мы встречаемся у метро в семь часов вечера, не забудь билеты"


def mail(headers: bytes | str = b"", body: bytes | str = b"Hello\n") -> Mail:
    head, rest = (part.encode() if isinstance(part, str) else part for part in (headers, body))
    return read_mail(HEAD + head + b"\n" + rest)


def part(kind: str, body: bytes, *more: str) -> bytes:
    return "\n".join([f"Content-Type: {kind}", *more, "", ""]).encode() + body + b"\n"


def multipart(kind: str, *parts: bytes, boundary: str = "b") -> bytes:
    line = b"--" + boundary.encode()
    joined = b"".join(line + b"\n" + one for one in parts)
    return f'Content-Type: multipart/{kind}; boundary="{boundary}"\n\n'.encode() + joined + line + b"--\n"


def body_of(raw: bytes) -> str:
    return read_mail(HEAD + raw).text


def test_a_plain_message() -> None:
    raw = b"References: <a@x> <b@x>\nIn-Reply-To: <b@x>\nList-Id: Probes <probes.example.org>\n"
    assert mail(raw) == Mail(
        message_id="1@example.org",
        times=(int(datetime(2026, 3, 2, 8, 14, tzinfo=UTC).timestamp()) * 1_000_000,),
        subject="Probes",
        sender="Ann <ann@example.org>",
        references=["a@x", "b@x"],
        in_reply_to="b@x",
        list_id="probes.example.org",
        text="Hello",
    )


def test_a_message_that_the_standard_library_wrote() -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "Jürgen Groß <j@example.org>", "Größe und Maß: " + "ü" * 90
    message.set_content("Straße\n")
    message.add_alternative("<p>Straße</p>", subtype="html")
    message.add_attachment(b"\x00\x01", maintype="application", subtype="pdf", filename="ä.pdf")
    read = read_mail(message.as_bytes())
    assert (read.sender, read.subject) == ("Jürgen Groß <j@example.org>", "Größe und Maß: " + "ü" * 90)
    assert read.text == "Straße"


@pytest.mark.parametrize(
    ("header", "subject"),
    [
        ("=?utf-8?q?Gr=C3=BC=C3=9Fe?= from =?iso-8859-1?Q?M=FCnchen?=", "Grüße from München"),
        ("=?utf-8?b?w7w=?=\n =?utf-8?b?w58=?=", "üß"),
        ("=?utf-8?b?w7w?=", "ü"),
        ("=?utf-8?q?split_=C3?= =?utf-8?q?=BC?=", "split ü"),
        ("=?us-ascii*en?q?language_named?=", "language named"),
        ("=?utf-8?q?raw spaces kept?=", "raw spaces kept"),
        ("=?x-nonsense?q?caf=E9?=", "café"),
        ("=?utf-8?q?never ends", "=?utf-8?q?never ends"),
        ("=?utf-8?x?no?= such encoding", "=?utf-8?x?no?= such encoding"),
        ("folded\n\tlines  and   spaces", "folded lines and spaces"),
        ("=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"),
        ("=?gb2312?B?wsnNqA==?=", "律通"),
        (b"raw caf\xc3\xa9", "raw café"),
        (b"raw caf\xe9", "raw café"),
    ],
)
def test_encoded_words(header: str | bytes, subject: str) -> None:
    raw = header.encode() if isinstance(header, str) else header
    assert read_mail(b"From: a@b\nSubject: " + raw + b"\n\nx").subject == subject


@pytest.mark.parametrize(
    ("charset", "data", "text"),
    [
        ("iso-8859-1", "Grüße".encode(), "Grüße"),
        ("utf-8", "Grüße".encode("latin-1"), "Grüße"),
        ("us-ascii", "Grüße".encode("latin-1"), "Grüße"),
        ("x-unknown", "Grüße".encode(), "Grüße"),
        ("iso-8859-1", b"\x93quoted\x94", "“quoted”"),
        ("gb2312", "联通".encode("gb2312"), "联通"),
        ("iso-2022-jp", "日本語".encode("iso-2022-jp"), "日本語"),
        ("utf-16", "Grüße".encode("utf-16"), "Grüße"),
        ("utf-7", b"Gr+APwA3w-e", "Grüße"),
        ("windows-1251", RUSSIAN.encode("cp1251"), RUSSIAN),
        ("", RUSSIAN.encode("koi8-r"), RUSSIAN),
        ("us-ascii", RUSSIAN.encode("cp1251"), RUSSIAN),
        ("punycode", "Grüße".encode(), "Grüße"),
        ("zip", "Grüße".encode(), "Grüße"),
        ("utf-8", b"NUL \x00 and half \xed\xa0\x80", "NUL  and half í\xa0€"),
    ],
)
def test_charsets_that_are_wrong_or_unknown(charset: str, data: bytes, text: str) -> None:
    kind = f'text/plain; charset="{charset}"' if charset else "text/plain"
    assert body_of(part(kind, base64.b64encode(data), "Content-Transfer-Encoding: base64")) == text


def test_transfer_encodings_that_are_broken() -> None:
    assert body_of(part("text/plain; charset=utf-8", quopri.encodestring("Größe = 1".encode()),
                        "Content-Transfer-Encoding: quoted-printable")) == "Größe = 1"  # fmt: skip
    assert body_of(part("text/plain", b"50=% off =\n=ZZ", "Content-Transfer-Encoding: quoted-printable"))
    assert body_of(part("text/plain", b"!!! not base64 ???", "Content-Transfer-Encoding: base64")) is not None
    assert body_of(part("text/plain", b"as it is", "Content-Transfer-Encoding: nonsense")) == "as it is"


def test_the_plain_form_is_taken_unless_it_is_a_stub() -> None:
    plain, page = (
        part("text/plain", b"Plain words of some length"),
        part("text/html", b"<p>HTML words of some length</p>"),
    )
    assert body_of(multipart("alternative", plain, page)) == "Plain words of some length"
    assert body_of(multipart("alternative", part("text/plain", b"\n"), page)) == "HTML words of some length"
    stub = part("text/plain", b"Use another reader.")
    assert body_of(multipart("alternative", stub, part("text/html", b"<p>" + b"Long letter. " * 20))).startswith("Long")
    meta = part("text/html", b'<meta charset="koi8-r"><p>' + RUSSIAN.encode("koi8-r"))
    assert body_of(meta) == RUSSIAN


def test_attachments_are_left_out_at_any_depth() -> None:
    inner = multipart(
        "alternative", part("text/plain", b"The letter"), part("text/html", b"<p>The letter"), boundary="in"
    )
    related = multipart("related", inner, part("image/png", b"xx"), boundary="rel")
    attached = part("text/plain", b"a long list", 'Content-Disposition: attachment; filename="list.txt"')
    encoded_name = part("text/plain; name*=utf-8''%C3%A4.txt", b"another list")
    footer = part("text/plain", b"list footer")
    assert (
        body_of(multipart("mixed", related, attached, encoded_name, footer, boundary="out"))
        == "The letter\n\nlist footer"
    )


def test_a_message_that_only_carries_others_has_their_texts() -> None:
    forwarded = b"Content-Type: message/rfc822\n\nFrom: b@x\nSubject: Old news\n\nThe old letter\n"
    assert body_of(multipart("mixed", forwarded)) == "Old news\n\nThe old letter"
    assert body_of(multipart("mixed", part("text/plain", b"See below"), forwarded)) == "See below"


@pytest.mark.parametrize(
    ("date", "moment"),
    [
        ("Mon, 2 Mar 2026 09:14:00 +0100", "2026-03-02T08:14:00"),
        ("2 Mar 26 09:14 EST", "2026-03-02T14:14:00"),
        ("Mon, 02 Mar 2026 09:14:00 GMT (comment)", "2026-03-02T09:14:00"),
        ("Mon Mar  2 09:14:00 2026", "2026-03-02T09:14:00"),
        ("Sat, 31 Dec 2016 23:59:60 +0000", "2016-12-31T23:59:59"),
        ("Mon, 31 Feb 2026 09:14:00 +0000", None),
        ("Thu, 1 Jan 1970 00:00:00 +0000", None),
        ("Mon, 2 Mar 99999 09:14:00 +0000", None),
        ("Mon, 2 Mar 2026 09:14:00 +9999", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates(date: str, moment: str | None) -> None:
    read = read_mail(f"From: a@b\nDate: {date}\n\nx".encode())
    wanted = () if moment is None else (int(datetime.fromisoformat(moment + "+00:00").timestamp()) * 1_000_000,)
    assert read.times == wanted


def test_the_newest_received_header_stands_in_for_a_date() -> None:
    raw = b"Received: from a by b; Tue, 3 Mar 2026 00:00:00 +0000\nReceived: by a; Mon, 2 Mar 2026 00:00:00 +0000\n"
    read = read_mail(raw + b"Date: never\nFrom: a@b\n\nx")
    assert read.times == (int(datetime(2026, 3, 3, tzinfo=UTC).timestamp()) * 1_000_000,)


@pytest.mark.parametrize(
    ("header", "ids"),
    [("<a@x>", ["a@x"]), ("a@x", ["a@x"]), ("Your message of Monday <a@x>", ["a@x"]), ("Monday's mail", []),
     ("<a b@x>", []), ("<a@x>\n <b@x>", ["a@x", "b@x"]), ("<a@x><a@x>", ["a@x"])],
)  # fmt: skip
def test_ids(header: str, ids: list[str]) -> None:
    assert read_mail(f"From: a@b\nReferences: {header}\n\nx".encode()).references == ids


def test_many_references_keep_the_nearest() -> None:
    header = " ".join(f"<{i}@x>" for i in range(200))
    assert read_mail(f"From: a@b\nReferences: {header}\n\nx".encode()).references[-1] == "199@x"


@pytest.mark.parametrize("raw", [b"", b"\n\n", b"no header at all\n\nx", b"X-Other: 1\n\nx"])
def test_what_is_no_message_is_refused(raw: bytes) -> None:
    with pytest.raises(BrokenMail, match="headers"):
        read_mail(raw)


def test_a_thousand_nested_parts_do_not_break_the_reader() -> None:
    raw = HEAD
    for depth in range(1_000):
        raw += f'Content-Type: multipart/mixed; boundary="{depth}"\n\n--{depth}\n'.encode()
    try:
        assert read_mail(raw + part("text/plain", b"deep")).text == ""
    except BrokenMail as error:
        assert "nested too deeply" in str(error)  # noqa: PT017


HEADERS = st.sampled_from(
    [b"Content-Type: multipart/mixed; boundary=b\n", b"Content-Type: text/html; charset=", b"Date: ", b"From ",
     b"Content-Transfer-Encoding: base64\n", b"Content-Type: message/rfc822\n", b"Subject: =?utf-8?b?",
     b"References: <", b"\n", b"--b\n", b"?=\n", b"Content-Disposition: inline; filename*0*=x''%\n",
     b"From: ,<@>;\\\"\n", b"Received: ;\n"]
)  # fmt: skip


@given(st.lists(HEADERS | st.binary(max_size=30), max_size=25).map(b"".join))
@example(b"Content-Type: message/rfc822\n\n")
@settings(max_examples=400, deadline=None)
def test_no_bytes_break_the_reader(raw: bytes) -> None:
    try:
        read = read_mail(HEAD + raw)
    except BrokenMail:
        return
    for value in (read.subject, read.sender, read.text, *read.references, read.in_reply_to or "", read.list_id or ""):
        value.encode()
        assert "\0" not in value
