"""The names that are held on a machine, claims of GPUs and places in the queue, and the site's policy for them.

``gpucluster/c/UUID/MARK``           a claim of a GPU or MIG slice; the mark is a number, rarely a random word
``gpucluster/h/UUID/MARK/SINCE/ENDS``  its start, and latest end (0: unknown), in seconds since the boot
``gpucluster/l/ARRIVED/COUNT/WANTED``  a place in the queue: nanoseconds since the boot, how many GPUs, and which
                                     (``any``)

The kernel reports the owner of a name. The rest is set by its holder; statements of other users on a claim are ignored.
A name counts only if it is exactly what the functions below write: the kernel gives each name to one holder, but
``GPU-1`` and ``%47PU-1`` are two names to it.

The age of claims cannot be compared: the kernel keeps no time of a name, it numbers sockets in blocks for each
processor, and a process may have started long before it claims. A number has one holder, who keeps it until it ends.
Claims are therefore ordered by GPU and number, and no decision uses their age.
"""

from __future__ import annotations

import math
import os
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from ..operating_system.sockets import LONGEST, BoundName, held_names
from ..protocol.plain_text import counted

if TYPE_CHECKING:
    from ..protocol.models import DeviceModel  # A cluster's process waits its turn without pydantic.


@dataclass(frozen=True)
class GPUPolicy:
    """The site's settings; the default is for a machine without a site."""

    slots: int | None = None  # Of each whole GPU; ``None``: GPUs that are all taken are shared, without a queue.
    reserved: frozenset[int | str] = frozenset()  # Indices and UUIDs of GPUs that are not assigned.
    all_reserved: bool = False  # Whether none is assigned, because the reserved ones cannot be read.
    per_user: int | None = None  # Limit of claims per user.
    lifetime: int | None = None  # Seconds that a cluster may run.

    def gives(self, device: DeviceModel, parent: DeviceModel | None = None) -> bool:
        """Whether a device is assigned; a slice is not if its GPU is not."""
        names = {device.uuid, device.index} | ({parent.uuid, parent.index} if parent is not None else set())
        return not self.all_reserved and not names & self.reserved

    def fault(self, wanted: int, had: int = 0) -> str | None:
        """Return why the site does not allow that many GPUs or slots for a user who has some, or ``None``."""
        if self.per_user is None or wanted <= max(0, self.per_user - had):
            return None
        return (
            f"Each user may have {counted(self.per_user, 'GPU or slot', 'GPUs or slots')} at a time at this site; "
            f"{f'your clusters have {had} and ' if had else ''}this one requests {wanted}. "
            f"{'Stop a cluster' if had else 'Request fewer workers'}."
        )

    def parts(self, device: DeviceModel) -> int:
        """Return how many clusters may have a device at a time: a MIG slice is a part already."""
        return 1 if self.slots is None or device.parent_uuid is not None else self.slots


DEFAULT = GPUPolicy()


VARIABLE = "GPUCLUSTER_NODE"  # For tests: gives separate names, as on another machine.
UNKNOWN = -1  # Owner of a name where the kernel reports none.
MOST_WANTED = 8  # Limit of GPUs that a place can name; with more it waits for any.
_LONGEST_UUID = 64
_CLAIM = re.compile(r"c/([^/]{1,80})/([1-9][0-9]{0,3}|x[0-9a-f]{8})")
_HELD = re.compile(r"h/([^/]{1,80})/([0-9]{1,4}|x[0-9a-f]{8})/([0-9]{1,10})/([0-9]{1,10})")
_PLACE = re.compile(r"l/([0-9]{1,19})/([1-9][0-9]{0,2})/(any|[0-9a-f]{6}(?:\.[0-9a-f]{6}){0,7})")


@dataclass(frozen=True)
class Claim:
    """A GPU, or a part of one, that a cluster has."""

    uuid: str
    mark: str
    user: int
    socket: int  # Identifies it; says nothing about its age.
    since: int | None = None  # Seconds since the boot, set by its holder.
    ends: int | None = None  # The latest end, likewise.

    @property
    def number(self) -> int | None:
        """The number of the part, counted from 1."""
        return int(self.mark) if self.mark.isdecimal() else None

    @property
    def order(self) -> tuple[str, float, str]:
        """Order by GPU, then by number, with claims without a number last."""
        return (self.uuid, math.inf if self.number is None else self.number, self.mark)


@dataclass(frozen=True)
class Place:
    """A place in the queue."""

    arrived: int  # Nanoseconds since the boot.
    count: int
    wanted: frozenset[str]  # Digests of the accepted GPUs; empty: any.
    user: int
    socket: int

    def takes(self, uuid: str) -> bool:
        return not self.wanted or digest(uuid) in self.wanted


@dataclass(frozen=True)
class Node:
    """What is held at a moment, according to the kernel. Claims and places above the limits per user have no effect."""

    every_claim: tuple[Claim, ...] = ()
    every_place: tuple[Place, ...] = ()
    per_user: int | None = None
    places_per_user: int = 64

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The claims that count: for each user as many as the limit allows, in order."""
        if self.per_user is None:
            return self.every_claim
        seen: Counter[int] = Counter()
        kept = set()
        for claim in sorted(self.every_claim, key=lambda claim: claim.order):
            seen[claim.user] += 1
            if claim.user == UNKNOWN or seen[claim.user] <= self.per_user:
                kept.add(claim)
        return tuple(claim for claim in self.every_claim if claim in kept)

    @cached_property
    def line(self) -> tuple[Place, ...]:
        """The places that count, in order: for each user as many as could be served within the limit."""
        seen: Counter[int] = Counter()
        gpus = Counter(claim.user for claim in self.claims)
        kept = []
        for place in self.every_place:
            seen[place.user] += 1
            served = self.per_user is None or place.user == UNKNOWN or gpus[place.user] + place.count <= self.per_user
            if served and seen[place.user] <= self.places_per_user:
                gpus[place.user] += place.count
                kept.append(place)
        return tuple(kept)

    @property
    def counts(self) -> Counter[str]:
        return Counter(claim.uuid for claim in self.claims)

    def marks(self, uuid: str) -> set[str]:
        """Return the held marks of a GPU, including those of claims that do not count."""
        return {claim.mark for claim in self.every_claim if claim.uuid == uuid}

    def held_by(self, user: int) -> int:
        return sum(claim.user == user for claim in self.every_claim)


def read_node(*, per_user: int | None = None, places_per_user: int = 64) -> Node:
    """Read what is held now. Raises `OSError`: this system does not report it."""
    claims: dict[tuple[str, str], Claim] = {}
    places: list[Place] = []
    periods: dict[tuple[str, str], list[tuple[int, int, int]]] = defaultdict(list)
    start = f"{prefix()}/"
    for bound in held_names(start):
        text, user = bound.name.removeprefix(start), UNKNOWN if bound.user is None else bound.user
        if found := _CLAIM.fullmatch(text):
            uuid, mark = unquote(found[1]), found[2]
            if claim_name(uuid, mark) == bound.name:
                claims[uuid, mark] = Claim(uuid, mark, user, bound.socket)
        elif found := _HELD.fullmatch(text):
            uuid, mark, since, ends = unquote(found[1]), found[2], int(found[3]), int(found[4])
            if held_name(uuid, mark, since, ends) == bound.name:
                periods[uuid, mark].append((user, since, ends))
        elif place := _place(text, bound, user):
            places.append(place)
    for key, published in periods.items():
        claim = claims.get(key)
        for user, since, ends in published:
            if claim is not None and user == claim.user:
                claims[key] = replace(claim, since=since, ends=ends or None)
    return Node(
        tuple(sorted(claims.values(), key=lambda claim: claim.order)),
        tuple(sorted(places, key=lambda place: (place.arrived, place.socket))),
        per_user,
        places_per_user,
    )


def claim_name(uuid: str, mark: str) -> str:
    return f"{prefix()}/c/{_safe(uuid)}/{mark}"


def held_name(uuid: str, mark: str, since: float, ends: float | None) -> str | None:
    """Return the name with start and end of a claim; ``None``: it would be too long."""
    name = f"{prefix()}/h/{_safe(uuid)}/{mark}/{int(since)}/{int(ends or 0)}"
    return name if len(name) <= LONGEST else None


def place_name(arrived: int, count: int, wanted: Iterable[str] | None) -> str:
    """Return the name of a place for that many out of these GPUs; ``None``: any."""
    digests = {digest(uuid) for uuid in wanted or ()}
    return _place_name(arrived, min(count, 999), digests if len(digests) <= MOST_WANTED else ())


def digest(uuid: str) -> str:
    """Return a short digest of a GPU; a collision only makes clusters wait for each other."""
    return f"{zlib.crc32(uuid.encode()) & 0xFFFFFF:06x}"


def prefix() -> str:
    other = re.sub(r"[^A-Za-z0-9]", "", os.environ.get(VARIABLE, ""))[:8]
    return f"gpucluster-{other}" if other else "gpucluster"


def _safe(uuid: str) -> str:
    name = ""
    for letter in uuid:
        quoted = quote(letter, safe="")
        if len(name + quoted) > _LONGEST_UUID:
            break
        name += quoted
    return name


def _place_name(arrived: int, count: int, digests: Iterable[str]) -> str:
    return f"{prefix()}/l/{arrived}/{count}/{'.'.join(sorted(digests)) or 'any'}"


def _place(text: str, bound: BoundName, user: int) -> Place | None:
    found = _PLACE.fullmatch(text)
    if found is None:
        return None
    wanted = frozenset() if found[3] == "any" else frozenset(found[3].split("."))
    place = Place(int(found[1]), int(found[2]), wanted, user, bound.socket)
    return place if _place_name(place.arrived, place.count, wanted) == bound.name else None
