"""What a service meets in the wild: moments, JSON and strings that are wrong, or strange but right."""

import json

NOON = "2026-03-02T12:00:00Z"
GOOD_TIMES = [
    NOON,
    "1970-01-01T00:00:00Z",
    "2026-03-02t12:00:00z",
    "2026-03-02T12:00:00+00:00",
    "2026-03-02T12:00:00-00:00",
    "2026-03-02T12:00:00.1Z",
    "2026-03-02T12:00:00.123456789Z",
    "2026-03-02T12:00:00+23:59",
    "2026-03-02T12:00:00-23:59",
    "2024-02-29T12:00:00Z",
]
BAD_TIMES: list[object] = [
    "",
    " ",
    "now",
    "today",
    "infinity",
    "-infinity",
    "NaN",
    "null",
    "2026",
    "2026-03",
    "2026-03-02",
    "2026-03-02T12",
    "2026-03-02T12:00",
    "2026-03-02T12:00Z",
    "2026-03-02T12:00:00",
    "2026-03-02 12:00:00Z",
    "2026-03-02_12:00:00Z",
    "2026-03-02T12:00:00 Z",
    " 2026-03-02T12:00:00Z",
    "2026-03-02T12:00:00Z ",
    "2026-03-02T12:00:00Z\n",
    "2026-03-02T12:00:00Z\x00",
    "2026-03-02T12:00:00.Z",
    "2026-03-02T12:00:00,5Z",
    "2026-03-02T12:00:00.0123456789Z",
    "2026-03-02T12:00:00+0000",
    "2026-03-02T12:00:00+00",
    "2026-03-02T12:00:00+24:00",
    "2026-03-02T12:00:00+00:60",
    "2026-03-02T12:00:00ZZ",
    "2026-03-02T12:00:00Z+00:00",
    "2026-03-02T12:00:00[Europe/Berlin]",
    "2026-03-02T12:00:00 UTC",
    "2026-03-02T24:00:00Z",
    "2026-03-02T12:60:00Z",
    "2026-03-02T12:00:60Z",
    "2016-12-31T23:59:60Z",
    "2026-02-29T12:00:00Z",
    "2026-13-01T12:00:00Z",
    "2026-00-01T12:00:00Z",
    "2026-01-00T12:00:00Z",
    "2026-01-32T12:00:00Z",
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00+23:59",
    "1969-12-31T23:59:59Z",
    "1970-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-23:59",
    "10000-01-01T00:00:00Z",
    "+2026-03-02T12:00:00Z",
    "-2026-03-02T12:00:00Z",
    "２０２６-03-02T12:00:00Z",
    "2026-٠3-02T12:00:00Z",
    "2026-W10-1T12:00:00Z",
    "2026-061T12:00:00Z",
    "Mon, 02 Mar 2026 12:00:00 GMT",
    "2026/03/02T12:00:00Z",
    "1772452800",
    "1e9",
]
BAD_TYPES: list[object] = [None, True, 0, 1772452800, 1772452800.5, 20000000001, -1, [], {}, [NOON], {"time": NOON}]
FUTURE_TIMES = ["2099-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999+00:00"]


def document(**fields: str) -> bytes:
    """A document of raw JSON pieces."""
    pieces = {"time": f'"{NOON}"', "text": '"x"'} | fields
    return ("{" + ",".join(f'"{name}":{value}' for name, value in pieces.items()) + "}").encode()


def torture() -> list[tuple[bytes, int]]:
    """Bodies that are not acceptable JSON, and the status that each must get."""
    bodies: list[tuple[bytes, int]] = []
    for number in ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 5_000, "-" + "9" * 25, str(2**63)):
        bodies += [(document(metadata=f'{{"a":{number}}}'), 422), (document(vector=f"[{number}]"), 422)]
        bodies += [(document(time=number), 422), (document(wat=number), 422), (number.encode(), 422)]
    for escape in (r"\u0000", r"\ud800", r"\udfff", r"\udc00\ud800", r"a\u0000b", r"\ud800x", "\\ud83d"):
        bodies += [(document(**{name: f'"{escape}"'}), 422) for name in ("text", "title", "author", "id", "time")]
        bodies += [(document(metadata=f'{{"{escape}":1}}'), 422), (document(metadata=f'{{"a":["{escape}"]}}'), 422)]
        bodies += [(document(**{escape: "1"}), 422)]
    for broken in (
        "", " ", "{", "}", "[", "]", "{]", "[}", '"', "'a'", "{'a':1}", "{a:1}", '{"a"}', '{"a":}', '{"a":1,}',
        "[1,]", "[,1]", "01", "+1", "1.", ".5", "1e", "0x10", "1_000", "--1", "tru", "True", "None",
        "undefined", "nul", "// c", "/* c */ {}", '{"a":1} {"b":2}', '{"a":1}}', "{}{}", '"\t"', '"\\x41"',
        '"\\u12"', '"\\u12G4"', '"\\a"', '{"a":1;"b":2}', "\ufeff{}", "{}\x00", "\x00", "-", "- 1", "[1 2]",
        '{"a" 1}', "<a/>", "a=b", "---\na: 1", "{}x", '{"a":"b', '["a', "\x0b{}", "\xa0{}",
    ):  # fmt: skip
        bodies.append((broken.encode(), 400))
    for raw in (b"\xff", b"\xfe\xff\x00{", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b'"\x80"', b"\xe2\x82"):
        bodies += [(raw, 400), (b'{"text":"' + raw + b'"}', 400), (b'{"' + raw + b'":1}', 400)]
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"):
        bodies.append((document().decode().encode(encoding), 400))
    for depth in (1_000, 5_000, 100_000):
        bodies += [(b"[" * depth, 400), (b'{"a":' * depth, 400), (b"[" * depth + b"]" * depth, 400)]
        bodies += [(document(metadata='{"a":' * depth + "1" + "}" * depth), 400)]
    for depth in (6, 7, 20, 100, 400):
        bodies += [(document(metadata='{"a":' * depth + "1" + "}" * depth), 422)]
        bodies += [(document(metadata='{"a":' + "[" * depth + "]" * depth + "}"), 422)]
        bodies += [(document(wat="[" * depth + "]" * depth), 422), (b"[" * depth + b"]" * depth, 422)]
    for twice in (
        '"text":"y"',
        '"time":"x"',
        '"metadata":{"a":1,"a":1}',
        '"metadata":{"a":{"b":1,"b":2}}',
        '"wat":1,"wat":2',
    ):
        bodies.append((document()[:-1] + b"," + twice.encode() + b"}", 422))
    bodies.append((b'{"documents":[' + document() + b"," + document()[:-1] + b',"text":"y"}]}', 422))
    wrong = ("null", "true", "0", "1.5", "[]", "{}", '["x"]', '{"a":1}')
    for name in ("text", "title", "author", "id", "time", "vector", "metadata"):
        accepted = {"null"} if name not in ("text", "time") else set()
        accepted |= {"{}", '{"a":1}'} if name == "metadata" else set()
        bodies += [(document(**{name: value}), 422) for value in wrong if value not in accepted]
    for value in (*wrong, '"x"', "1"):
        bodies += [(value.encode(), 422), (b'{"documents":' + value.encode() + b"}", 422)]
        bodies += [(b'{"documents":[' + value.encode() + b"]}", 422)]
        bodies += [(document(wat=value), 422), (b'{"documents":[' + document(wat=value) + b"]}", 422)]
    bodies += [
        (b'{"documents":[' + document() + b'],"wat":1}', 422),
        (b'{"text":"x"}', 422),
        (document(text="null"), 422),
    ]
    bodies += [
        (document(id=json.dumps(bad)), 422) for bad in ("", " ", "a b", "é", "x" * 201, "\n", "a\tb", "\x7f", "日本")
    ]
    bodies += [(document(title=json.dumps("x" * 1_001)), 422), (document(author=json.dumps("x" * 501)), 422)]
    bodies += [(document(text=json.dumps("x" * 100_001)), 422), (document(text=json.dumps("🜁" * 100_001)), 422)]
    bodies += [(document(metadata=json.dumps({str(n): n for n in range(51)})), 422)]
    bodies += [(document(metadata=json.dumps({"a": "x" * (16 << 10)})), 422)]
    return bodies


def strange() -> list[str]:
    """Text that is unusual and must come back as it was."""
    marks = [
        "", " ", "\t\n\r", "\u00a0\u2003", "\ufeffx", "x\ufeff", "\u200b", "\u200d" * 1_000, "\u202eabc\u202c",
        "\u2066x\u2069", "e\u0301", "é", "a" + "\u0301" * 10_000, "👩‍👩‍👧‍👦", "🏳️‍🌈" * 100, "👍🏿",
        "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L", "مرحبا", "שלום", "日本語", "한국어", "ไทย", "हिन्दी",
        "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"), "\U0010ffff", "\ufffe", "\uffff",
        "\x01\x02\x1b[2J\x07", "\x7f\x80\x9f", "<script>alert(1)</script>", "'; DROP TABLE documents; --",
        "${jndi:ldap://x}", "{{7*7}}", "%s%n%x", "=1+1", "@SUM(A1)", "../../etc/passwd", "C:\\x", "\\", '"',
        "'", "`", "%00", "\\u0000", "NULL", "null", "None", "true", "0", "-0", "1e308", "İstanbul", "ß", "ﬁ",
        "ǆ", "Å", "K", "\u1e9e", "i̇", "𝓐", "①", "㌀", "\u2028\u2029",
    ]  # fmt: skip
    every = [chr(point) for point in range(1, 0x250) if not 0xD800 <= point <= 0xDFFF]
    planes = [chr(point) for point in range(0x1000, 0x110000, 0x2F03) if not 0xD800 <= point <= 0xDFFF]
    return [*marks, *every, *planes]
