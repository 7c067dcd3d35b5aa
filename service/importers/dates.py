"""Times in files of others: RFC 3339, ISO 8601, mail dates, seconds since 1970, and forms that are unambiguous."""

import email.utils
import math
from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from service.times import EPOCH, LAST, MICROSECOND

from .items import SourceError

UNITS = ((1e17, 1e-9), (1e14, 1e-6), (1e11, 1e-3))  # from this number on, it counts these seconds: ns, µs, ms
FORMS = (
    "%Y/%m/%d %H:%M:%S", "%Y/%m/%d %H:%M", "%Y/%m/%d", "%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%d.%m.%Y",
    "%d %b %Y %H:%M:%S", "%d %b %Y %H:%M", "%d %b %Y", "%d %B %Y %H:%M", "%d %B %Y",
    "%b %d, %Y %H:%M", "%b %d, %Y", "%B %d, %Y %H:%M", "%B %d, %Y", "%a %b %d %H:%M:%S %Y",
)  # fmt: skip


class BadTime(ValueError):
    """A value that is no moment; says why."""


class NoOffset(SourceError):
    """Times of a source do not say their offset, and nobody else did."""


def zone_of(name: str) -> tzinfo:
    """A time zone by its name. Raises SourceError."""
    try:
        return UTC if name.upper() in ("UTC", "Z") else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise SourceError(f"--timezone {name} is not known; pass UTC or a name such as Europe/Berlin") from error


class Dates:
    """How the times of one source are read. form: as of strptime; zone: for times that do not say their offset."""

    def __init__(self, form: str | None = None, zone: str | None = None) -> None:
        self._forms = (form,) if form else FORMS
        self._only_form = form is not None
        self._zone = zone_of(zone) if zone else None

    def moment(self, value: Any) -> int:
        """Microseconds since 1970. Raises BadTime, or NoOffset for the first time that says no offset."""
        if isinstance(value, bool) or value is None or value == "":
            raise BadTime("has no time")
        number = value if isinstance(value, int | float) else _number(str(value))
        if number is not None and not self._only_form:
            return _counted(number)
        date = self._date(str(value).strip())
        if date.tzinfo is None:
            if self._zone is None:
                raise NoOffset(f"times such as {str(value)[:40]!r} say no offset; pass --timezone UTC or your own")
            date = date.replace(tzinfo=self._zone)
        try:
            moment = (date - EPOCH) // MICROSECOND
        except OverflowError:
            moment = -1
        return _within(moment)

    def _date(self, text: str) -> datetime:
        if not self._only_form:
            for read in (datetime.fromisoformat, email.utils.parsedate_to_datetime):
                try:
                    return read(text)
                except (ValueError, TypeError, IndexError, OverflowError):
                    continue
        for form in self._forms:
            try:
                return datetime.strptime(text, form)
            except ValueError:
                continue
        raise BadTime(f"has the time {text[:40]!r}, which cannot be read; pass --time-format, such as '%d/%m/%Y %H:%M'")


def _number(text: str) -> float | None:
    """Seconds or parts of them since 1970; years and 20260302 are dates."""
    try:
        return float(text) if len(text.partition(".")[0]) >= 9 else None
    except ValueError:
        return None


def _counted(number: float) -> int:
    if not math.isfinite(number):
        raise BadTime("has a time that is not finite")
    scale = next((unit for least, unit in UNITS if abs(number) >= least), 1.0)
    return _within(round(number * scale * 1e6))


def _within(moment: int) -> int:
    if not 0 <= moment <= LAST:
        raise BadTime("has a time before 1970 or after 9999")
    return moment
