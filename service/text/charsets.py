"""Bytes to text when the charset is missing, unknown or a lie."""

import codecs
import re

import charset_normalizer

# What is meant by a name, as browsers read it, where that is more than Python's codec of that name.
MEANT = {"iso8859-1": "cp1252", "iso8859-9": "cp1254", "gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949",
         "shift_jis": "cp932", "big5": "big5hkscs", "tis-620": "cp874", "iso8859-11": "cp874"}  # fmt: skip
ALIASES = {
    "iso-8859-8-i": "iso8859-8",
    "windows-874": "cp874",
    "x-sjis": "cp932",
    "x-gbk": "gb18030",
    "x-mac-roman": "mac-roman",
}
UTF8 = ("ascii", "utf-8", "utf-8-sig")  # say nothing of bytes that are not UTF-8
ODD = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined")  # not of mail, and slow or noisy
SEVERAL_BYTES = re.compile(r"utf-(?:7|16|32)|gb|hz|big5|euc|cp9[345]|iso2022|johab")  # a character has one or more
LIKELY = ["cp1251", "koi8_r", "cp1250", "cp1253", "cp1254", "cp1255", "cp1256"]
LIKELY += ["gb18030", "big5hkscs", "cp932", "euc_jp", "cp949"]
SAMPLE = 4_000  # bytes that a guess is made from
WESTERN = "cp1252"
FOREIGN = 0.25  # share of bytes beyond ASCII from which a text is hardly of a Western language


def decode(data: bytes, charset: str | None) -> str:
    """The text of the bytes, whatever they are. UTF-8 is believed before a declared charset of single bytes."""
    codec = _codec(charset)
    several = codec is not None and SEVERAL_BYTES.match(codec) is not None
    if data.isascii() and not several:
        return data.decode("ascii")
    for candidate in (codec, "utf-8") if several else ("utf-8", codec):
        text = _strictly(data, candidate)
        if text is not None:
            return text
    return data.decode(codec or _guess(data), "replace")


def clean(text: str) -> str:
    """The text with one kind of line end, and without what no document may contain: NUL and halves of characters."""
    whole = text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
    return whole.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")


def _codec(charset: str | None) -> str | None:
    """Python's name of a charset that can tell more than UTF-8 does."""
    name = (charset or "").strip().strip("\"'").lower()
    try:
        found = codecs.lookup(ALIASES.get(name, name)).name
        b"".decode(found)
    except (LookupError, ValueError, UnicodeError):  # unknown, not printable, or a codec that is not of text
        return None
    return None if found in UTF8 + ODD else MEANT.get(found, found)


def _strictly(data: bytes, codec: str | None) -> str | None:
    if codec is None:
        return None
    try:
        return data.decode(codec)
    except (UnicodeError, ValueError):
        return None


def _guess(data: bytes) -> str:
    """The charset of bytes that are not UTF-8 and say nothing of themselves."""
    sample = data[:SAMPLE]
    if sum(byte > 127 for byte in sample) < FOREIGN * len(sample):
        return WESTERN
    best = charset_normalizer.from_bytes(sample, cp_isolation=LIKELY, enable_fallback=False).best()
    return best.encoding if best else WESTERN
