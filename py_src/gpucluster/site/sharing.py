"""The section ``sharing``: how users share one machine."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, StrictBool
from pydantic_core import PydanticKnownError

from ..protocol.links import MOST_HOURS, LinkHours
from ..protocol.machine_spec import Device
from .hours import OpenHours, read_hours
from .limits import Bytes, Count, NothingEmpty, Seconds, must_be_text

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


def _once(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


_Hours = Annotated[OpenHours, BeforeValidator(lambda value: read_hours(must_be_text(value)))]
_Account = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_account)]


class PerUser(NothingEmpty):
    """Limits per user at a time on a machine, for all clusters together; ``None``: no limit."""

    model_config = ConfigDict(frozen=True)

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
        both = {name: (limit, getattr(other, name)) for name, limit in self}
        least = {
            name: min((each for each in limits if each is not None), default=None) for name, limits in both.items()
        }
        return self.model_copy(update=least)


LEAST_PER_USER = PerUser(
    clusters=1, workers=1, gpus=1, memory=2**30, threads=1, scratch=2**30, idle_timeout_seconds=600
).model_copy(update={"walltime": 600})
"""Used instead of limits that cannot be read."""


class SharingSection(NothingEmpty):
    """The section in the file."""

    model_config = ConfigDict(frozen=True)

    slots_per_gpu: Annotated[int, Field(strict=True, ge=1, le=MOST_SLOTS)] | None = None
    """Into how many slots each whole GPU is divided; ``None``: GPUs that are all taken are shared without a queue."""
    reserved_gpus: Annotated[frozenset[Device], BeforeValidator(_list)] = frozenset()  # Never assigned.
    per_user: PerUser = PerUser()
    hours: Annotated[tuple[_Hours, ...], BeforeValidator(_list)] = ()  # When clusters may be created.
    message: str = Field("", max_length=500)  # Of the day.
    instructors: Annotated[list[_Account], AfterValidator(_once)] = Field(default_factory=list, max_length=50)
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
