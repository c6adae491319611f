"""The hours in which clusters may be created, such as ``Mon-Fri 08:00-20:00``, in the machine's local time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_DAY = "|".join(DAYS)
_HOURS = re.compile(
    rf"(?:(?P<first>{_DAY})(?:-(?P<last>{_DAY}))? )?(?P<begin>[0-2][0-9]:[0-5][0-9])-(?P<end>[0-2][0-9]:[0-5][0-9])"
)
_DAY_MINUTES = 24 * 60


@dataclass(frozen=True)
class OpenHours:
    """Hours on some days; if they end before they begin, they continue until the next day."""

    days: frozenset[int]  # 0 is Monday.
    begin: int  # Minutes after midnight, like the end.
    end: int
    text: str

    def next_opening(self, moment: datetime) -> datetime:
        """Return the next time at which it is open: the moment itself if it is open then."""
        midnight = datetime.combine(moment.date(), time())
        length = (self.end - self.begin) % _DAY_MINUTES or _DAY_MINUTES
        for number in range(-1, 9):
            day = midnight + timedelta(days=number)
            begins = day + timedelta(minutes=self.begin)
            if day.weekday() in self.days and moment < begins + timedelta(minutes=length):
                return max(moment, begins)
        raise AssertionError("a week has all days")


def read_hours(text: str) -> OpenHours:
    """Read hours as an administrator writes them. Raises `ValueError` with a message."""
    found = _HOURS.fullmatch(text)
    begin, end = (_minutes(found[part]) if found else -1 for part in ("begin", "end"))
    if found is None or not (0 <= begin < _DAY_MINUTES and 0 <= end <= _DAY_MINUTES):
        raise ValueError("must be hours such as 'Mon-Fri 08:00-20:00', 'Sat 10:00-14:00' or '08:00-20:00'")
    if begin == end:
        whole = f"{text[: found.start('begin')]}00:00-24:00"
        raise ValueError(
            f"begins and ends at {found['begin']}: write '{whole}' for the whole day; leave 'hours' out if it is "
            "always open"
        )
    days = set(range(7))
    if found["first"]:
        first = DAYS.index(found["first"])
        last = DAYS.index(found["last"] or found["first"])
        days = {(first + number) % 7 for number in range((last - first) % 7 + 1)}
    return OpenHours(frozenset(days), begin, end, text)


def opens_at(hours: Sequence[OpenHours], moment: datetime) -> datetime | None:
    """Return when clusters may be created again; ``None``: now. No hours at all: always."""
    if not hours:
        return None
    opening = min(each.next_opening(moment) for each in hours)
    return opening if opening > moment else None


def _minutes(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)
