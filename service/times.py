"""Moments: whole microseconds since 1970 inside, RFC 3339 outside."""

import re
import time
from datetime import UTC, date, datetime, timedelta

MICROSECONDS = 1_000_000
LAST = 253_402_300_800 * MICROSECONDS - 1  # the end of the year 9999
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
SECONDS = "--T::Z"  # what stands between the digits of 2026-03-02T08:14:00Z
USUAL = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{3}(?:[0-9]{3})?)?"
    r"(?:Z|[+-][01][0-9]:[0-5][0-9])"
)
RFC3339 = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)


def now() -> int:
    return time.time_ns() // 1000


def parse_moment(text: str) -> int:
    """Microseconds of an RFC 3339 moment that says its offset; finer digits are cut off. Raises ValueError."""
    if (len(text) == 20 and text[4::3] == SECONDS) or USUAL.fullmatch(text):
        try:
            moment = (datetime.fromisoformat(text) - EPOCH) // MICROSECOND
        except ValueError:
            moment = -1
        if 0 <= moment <= LAST:
            return moment
    return _parse_any(text)


def _parse_any(text: str) -> int:
    """Moments in unusual forms, and what is wrong with the others."""
    match = RFC3339.fullmatch(text)
    if match is None:
        raise ValueError("must be an RFC 3339 date and time with Z or an offset, such as 2026-03-02T08:14:00Z")
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    sign, offset_hour, offset_minute = match[8] or "+", int(match[9] or 0), int(match[10] or 0)
    if hour > 23 or minute > 59 or second > 59 or offset_hour > 23 or offset_minute > 59:
        raise ValueError("has an hour, minute, second or offset that no clock shows")
    try:
        days = (date(year, month, day) - EPOCH.date()).days
    except ValueError:
        raise ValueError("has a day that is in no calendar") from None
    offset = (offset_hour * 60 + offset_minute) * (-1 if sign == "-" else 1)
    seconds = days * 86_400 + hour * 3_600 + (minute - offset) * 60 + second
    moment = seconds * MICROSECONDS + int((match[7] or "").ljust(6, "0")[:6])
    if not 0 <= moment <= LAST:
        raise ValueError("must lie in the years 1970 to 9999 in UTC")
    return moment


def format_moment(moment: int) -> str:
    """2026-03-02T08:14:00.000000Z"""
    return (EPOCH + timedelta(microseconds=moment)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
