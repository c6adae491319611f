"""The section ``sharing``: how users share one machine, and in which hours they may create clusters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StrictBool
from pydantic_core import PydanticKnownError

from ..protocol.links import MOST_HOURS, LinkHours
from ..protocol.machine_spec import Device
from .limits import Bytes, Count, NothingEmpty, Seconds, require_text

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
        raise AssertionError("no matching day in a week")


def read_hours(text: str) -> OpenHours:
    """Read hours as an administrator writes them. Raises `ValueError` with a message."""
    found = _HOURS.fullmatch(text)
    begin, end = (_minutes(found[part]) if found else -1 for part in ("begin", "end"))
    if found is None or not (0 <= begin < _DAY_MINUTES and 0 <= end <= _DAY_MINUTES):
        raise ValueError("must be hours such as 'Mon-Fri 08:00-20:00', 'Sat 10:00-14:00' or '08:00-20:00'")
    if begin == end:
        whole = f"{text[: found.start('begin')]}00:00-24:00"
        raise ValueError(
            f"begins and ends at {found['begin']}: write '{whole}' for the whole day; omit 'hours' if it is always open"
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


DEFAULT_CLUSTERS = 64  # Default limit of running clusters per user.
MOST_SLOTS = 32


def _list(value: Any) -> Any:
    if not isinstance(value, list):
        raise PydanticKnownError("list_type")
    return value


def _account(value: str) -> str:
    if not value.isprintable() or value != value.strip() or set(value) & set(":/,"):
        raise ValueError("must be the name of a group or of a user")
    return value


_Hours = Annotated[OpenHours, BeforeValidator(lambda value: read_hours(require_text(value)))]
_Account = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_account)]
_Accounts = Annotated[list[_Account], AfterValidator(lambda names: list(dict.fromkeys(names)))]


class PerUser(NothingEmpty, frozen=True):
    """Limits per user at a time on a machine, for all clusters together; ``None``: no limit."""

    clusters: Count = DEFAULT_CLUSTERS
    workers: Count | None = None
    gpus: Count | None = None  # GPUs or slots.
    memory: Bytes | None = None  # Of the host.
    threads: Count | None = None
    scratch: Bytes | None = None  # Disk that workers may spill to.
    idle_timeout_seconds: Count | None = None
    walltime: Seconds | None = None  # How long a cluster may run.

    def narrower(self, other: PerUser) -> PerUser:
        """Return what both allow."""
        least = {name: min(filter(None, (limit, getattr(other, name))), default=None) for name, limit in self}
        return self.model_copy(update=least)


LEAST_PER_USER = PerUser(
    clusters=1, workers=1, gpus=1, memory=2**30, threads=1, scratch=2**30, idle_timeout_seconds=600
).model_copy(update={"walltime": 600})
"""Used instead of limits that cannot be read."""


class SharingSection(NothingEmpty, frozen=True):
    """The section in the file."""

    slots_per_gpu: Annotated[int, Field(strict=True, ge=1, le=MOST_SLOTS)] | None = None
    """Into how many slots each whole GPU is divided; ``None``: GPUs that are all taken are shared without a queue."""
    reserved_gpus: Annotated[frozenset[Device], BeforeValidator(_list)] = frozenset()  # Never assigned.
    per_user: PerUser = PerUser()
    hours: Annotated[tuple[_Hours, ...], BeforeValidator(_list)] = ()  # When clusters may be created.
    message: str = Field("", max_length=500)  # Of the day.
    instructors: _Accounts = Field(default_factory=list, max_length=50)
    """Groups and users who may message and stop the clusters of others on a machine."""
    links: StrictBool = True  # Whether users may let others view their clusters by a link.
    public_links: StrictBool = False  # Whether such a link may work without the hub's login.
    link_hours: LinkHours = MOST_HOURS


class Sharing(SharingSection):
    """How a machine is shared."""

    all_reserved: bool = False  # Whether no GPU is assigned, because the reserved ones cannot be read.

    def least(self) -> Sharing:
        """Return the same with the least limits for each user, or lower ones."""
        per_user = self.per_user.narrower(LEAST_PER_USER)
        return self.model_copy(update={"per_user": per_user, "links": False, "public_links": False})


LEAST_HOLDS = (
    "Until it is fixed, each user has at most 1 cluster with 1 worker, 1 thread, 1 GiB of memory and of scratch "
    "and 1 GPU, 10 minutes idle and for 10 minutes."
)
ABOUT_LINKS = {"links", "public_links", "link_hours"}
UNTIL_FIXED = {
    **dict.fromkeys(("hours", "message", "instructors"), ""),  # Ignoring these gives users nothing more.
    **dict.fromkeys(ABOUT_LINKS, " Until it is fixed, no link shows a cluster."),
    "reserved_gpus": " Until it is fixed, no GPU is assigned.",
}
"""The end of a message about an unreadable entry; for all others, the least limits hold."""
