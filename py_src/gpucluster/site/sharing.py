"""The section ``sharing``: how users share one machine."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StrictBool

from ..protocol.durations import walltime_seconds
from ..protocol.gpu_spec import Device
from ..protocol.links import MOST_HOURS, LinkHours
from ..protocol.sizes import MemorySize
from .hours import OpenHours, read_hours
from .limit_section import Count, NothingEmpty, Time, must_be_size

DEFAULT_CLUSTERS = 64  # Default limit of running clusters per user.
MOST_SLOTS = 32


@dataclass(frozen=True)
class PerUser:
    """Limits per user at a time on a machine, for all clusters together; ``None``: no limit."""

    clusters: int = DEFAULT_CLUSTERS
    workers: int | None = None
    gpus: int | None = None  # GPUs or slots.
    memory: int | None = None  # Bytes of host memory.
    threads: int | None = None
    scratch: int | None = None  # Bytes of disk that workers may spill to.
    idle_timeout_seconds: int | None = None
    walltime: int | None = None  # Seconds that a cluster may run.

    def narrower(self, other: PerUser) -> PerUser:
        """Return what both allow."""
        both = {each.name: (getattr(self, each.name), getattr(other, each.name)) for each in fields(self)}
        changes: dict[str, Any] = {
            name: min((limit for limit in limits if limit is not None), default=None) for name, limits in both.items()
        }
        return replace(self, **changes)


LEAST_PER_USER = PerUser(
    clusters=1, workers=1, gpus=1, memory=2**30, threads=1, scratch=2**30, idle_timeout_seconds=600, walltime=600
)
"""Used instead of limits that cannot be read."""


@dataclass(frozen=True)
class Sharing:
    """How a machine is shared."""

    slots_per_gpu: int | None = None  # ``None``: GPUs that are all taken are shared without a queue.
    reserved_gpus: frozenset[int | str] = frozenset()  # Indices and UUIDs that are not assigned.
    all_reserved: bool = False  # Whether no GPU is assigned, because the reserved ones cannot be read.
    per_user: PerUser = field(default_factory=PerUser)
    hours: tuple[OpenHours, ...] = ()
    message: str = ""
    instructors: tuple[str, ...] = ()  # Groups and users who may message and stop the clusters of others on a machine.
    links: bool = True  # Whether users may let others view their clusters by a link.
    public_links: bool = False  # Whether such a link may work without the hub's login.
    link_hours: float = MOST_HOURS
    where: str = "at this site"

    def least(self) -> Sharing:
        """Return the same with the least limits for each user, or lower ones."""
        return replace(self, per_user=self.per_user.narrower(LEAST_PER_USER), links=False, public_links=False)


class PerUserSection(NothingEmpty):
    """The most that one user has at a time on a machine, in all clusters together."""

    clusters: Count | None = Field(None, description="Most living clusters.")
    workers: Count | None = Field(None, description="Maximum workers on this machine.")
    gpus: Count | None = Field(None, description="Maximum GPUs, or slots of GPUs.")
    memory: Annotated[MemorySize, AfterValidator(must_be_size)] | None = Field(
        None, description="Maximum host memory of all workers, such as '64 GiB'."
    )
    threads: Count | None = Field(None, description="Maximum threads of all workers.")
    scratch: Annotated[MemorySize, AfterValidator(must_be_size)] | None = Field(
        None, description="Maximum disk space that all workers may spill to, such as '100 GiB'."
    )
    idle_timeout_seconds: Count | None = Field(None, description="Maximum idle time of a cluster on this machine.")
    walltime: Time | None = Field(None, description="How long a cluster on this machine may run, such as '04:00:00'.")

    def read(self) -> PerUser:
        """Return it in the form that is applied."""
        given = {name: value for name, value in self if value is not None}
        walltime = walltime_seconds(self.walltime) if self.walltime is not None else None
        return PerUser(**{**given, "walltime": walltime})


def _hours(value: str) -> str:
    read_hours(value)
    return value


def _account(value: str) -> str:
    if not value.isprintable() or value != value.strip() or set(value) & set(":/,"):
        raise ValueError("must be the name of a group or of a user")
    return value


class SharingSection(NothingEmpty):
    """The section in the file."""

    slots_per_gpu: Annotated[int, Field(strict=True, ge=1, le=MOST_SLOTS)] | None = Field(
        None, description="Number of slots that each whole GPU is divided into; 1: a GPU is for one cluster at a time."
    )
    reserved_gpus: list[Device] = Field(default_factory=list, description="GPUs that are never assigned.")
    per_user: PerUserSection | None = Field(None, description="What one user may have.")
    hours: list[Annotated[str, AfterValidator(_hours)]] = Field(
        default_factory=list, description="When clusters may be created."
    )
    message: str = Field("", max_length=500, description="The message of the day.")
    instructors: list[Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_account)]] = Field(
        default_factory=list,
        max_length=50,
        description="Groups and users who may message and stop the clusters of all users of a machine.",
    )
    links: StrictBool = Field(True, description="Whether users may create links for viewing their clusters.")
    public_links: StrictBool = Field(
        False, description="Whether a link may show a cluster to people who are not logged in to the hub."
    )
    link_hours: LinkHours = Field(MOST_HOURS, description="Maximum lifetime of a link, in hours.")

    def read(self) -> Sharing:
        """Return it in the form that is applied."""
        read: dict[str, Any] = {
            "reserved_gpus": frozenset(self.reserved_gpus),
            "per_user": self.per_user.read() if self.per_user is not None else PerUser(),
            "hours": tuple(read_hours(each) for each in self.hours),
            "instructors": tuple(dict.fromkeys(self.instructors)),
        }
        return Sharing(**{**dict(self), **read})


HARMLESS = {"hours", "message", "instructors"}  # Ignoring these gives users nothing more.
LEAST_HOLDS = (
    "Until it is fixed, each user has at most 1 cluster with 1 worker, 1 thread, 1 GiB of memory and of scratch "
    "and 1 GPU, 10 minutes idle and for 10 minutes."
)
NONE_GIVEN = "Until it is fixed, no GPU is assigned."
ABOUT_LINKS = {"links", "public_links", "link_hours"}
NONE_SHOWN = "Until it is fixed, no link shows a cluster."
