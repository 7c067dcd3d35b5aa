"""Durations: whole microseconds inside; 3d, 12h, 1.5h or ISO 8601 outside."""

import re
from decimal import Decimal

SECOND = 1_000_000
UNITS = {"w": 604_800 * SECOND, "d": 86_400 * SECOND, "h": 3_600 * SECOND, "m": 60 * SECOND, "s": SECOND}
AMOUNT = r"[0-9]{1,9}(?:\.[0-9]{1,9})?"
SHORT = re.compile(rf"({AMOUNT})(ms|[wdhms])")
ISO = re.compile(
    rf"P(?=[0-9T])(?:({AMOUNT})W)?(?:({AMOUNT})D)?(?:T(?=[0-9])(?:({AMOUNT})H)?(?:({AMOUNT})M)?(?:({AMOUNT})S)?)?"
)
LONGEST = 36_525 * UNITS["d"]


def parse_duration(text: str) -> int:
    """Microseconds of 3d, 12h, 1.5h, P30D or PT36H; months and years are refused, as their lengths differ."""
    if short := SHORT.fullmatch(text):
        unit = UNITS.get(short[2], SECOND // 1000)
        length = int(Decimal(short[1]) * unit)
    elif iso := ISO.fullmatch(text):
        length = int(sum(Decimal(part) * unit for part, unit in zip(iso.groups(), UNITS.values(), strict=True) if part))
    else:
        raise ValueError("must be a duration such as 3d, 12h, 30m, P30D or PT36H")
    if length > LONGEST:
        raise ValueError("must be no longer than 100 years")
    return length


def format_duration(length: int) -> str:
    """ISO 8601: P3D, PT12H, P1DT12H."""
    days, rest = divmod(length, UNITS["d"])
    hours, rest = divmod(rest, UNITS["h"])
    minutes, rest = divmod(rest, UNITS["m"])
    seconds = f"{Decimal(rest) / SECOND:f}"
    clock = "".join(f"{n}{unit}" for n, unit in ((hours, "H"), (minutes, "M"), (seconds, "S")) if n not in (0, "0"))
    return "P" + (f"{days}D" if days else "") + (f"T{clock}" if clock else "" if days else "T0S")
