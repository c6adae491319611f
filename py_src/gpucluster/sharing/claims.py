"""Claims of GPUs on this machine, by any user, and the queue for those that are taken.

A cluster that has just chosen a GPU uses none of it yet, so it claims it. Without a site's slots, a claim excludes no
one: it lets the next cluster that is free to choose take another GPU, and where all are claimed, they are shared.

With slots, clusters queue, first come, first served, across users. A cluster takes a place, whose name has the time of
arrival, and remembers the places that were there then. A place that appears later is behind, whatever its name claims.
If the GPUs that an earlier place waits for are free and not taken within ``PATIENCE_SECONDS``, its user is skipped, so
a process that hangs or only occupies a place delays others only briefly. Free GPUs are kept for a cluster that needs
several until there are enough, so that it does not wait for ever.
"""

import fcntl
import os
import secrets
import socket
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote, unquote

from ..operating_system.sockets import hold, seconds_since_boot
from ..protocol.durations import spoken
from ..registry import lock
from .node import DEFAULT, GPUPolicy, Node, Place, claim_name, held_name, place_name, read_node

MOST_NUMBERS = 64  # Above this, marks are random, so that a user who holds all numbers stops no other.


class ClaimedMeanwhile(Exception):
    """Another process was faster; look again."""


class NodeClaims:
    """The claims of this process among those of all users: names that the kernel frees when this process ends."""

    def __init__(self, policy: GPUPolicy = DEFAULT) -> None:
        self.policy = policy
        self._node = Node()
        self._held: dict[tuple[str, str], list[socket.socket]] = {}
        self._since = 0.0
        self._ends: float | None = None

    @property
    def held(self) -> list[tuple[str, str]]:
        """UUID and mark of each claim of this object."""
        return list(self._held)

    def look(self) -> Node:
        """Return what any process holds now."""
        self._node = read_node(per_user=self.policy.per_user)
        return self._node

    @contextmanager
    def choosing(self) -> Iterator[Mapping[str, int]]:
        """Yield how often each GPU is claimed; ``claim`` notices when that has changed."""
        yield self.look().counts

    def claim(self, uuids: Iterable[str], *, ends: float | None = None) -> None:
        """Claim GPUs until this process or `ends`, in seconds since the boot. Raises `ClaimedMeanwhile`: none is."""
        made: list[tuple[str, str]] = []
        for uuid in uuids:
            mark = self._free_mark(uuid)
            held = hold(claim_name(uuid, mark))
            if held is None:
                self._release(made)
                raise ClaimedMeanwhile
            made.append((uuid, mark))
            self._held[uuid, mark] = [held]
        self._since = seconds_since_boot()
        self.set_expected_end(ends)

    def claim_parts(self, uuids: Sequence[str], parts: Mapping[str, int], *, ends: float | None = None) -> None:
        """Claim one part of each of these GPUs, none of which may have more claims than parts.

        Raises `ClaimedMeanwhile`: another process was faster; none of them is claimed now.
        """
        before = set(self._held)
        self.claim(uuids, ends=ends)
        # Numbers beyond the parts are taken where claims that do not count hold the lower ones: only then can two
        # clusters get the same part.
        counts = self.look().counts
        if any(counts[uuid] > parts[uuid] for uuid in uuids):
            self._release([key for key in self._held if key not in before])
            raise ClaimedMeanwhile

    def set_expected_end(self, ends: float | None) -> None:
        """Publish the latest end of the claims, in seconds since the boot."""
        if ends == self._ends and all(len(held) > 1 for held in self._held.values()):
            return
        self._ends = ends
        for (uuid, mark), held in self._held.items():
            name = held_name(uuid, mark, self._since, ends)
            if name is not None and (published := hold(name)) is not None:
                for before in held[1:]:
                    before.close()
                held[1:] = [published]

    def release(self) -> None:
        self._release(list(self._held))

    def _free_mark(self, uuid: str) -> str:
        marks = self._node.marks(uuid) | {mark for held, mark in self._held if held == uuid}
        numbers = (str(number) for number in range(1, MOST_NUMBERS + 1))
        return next((number for number in numbers if number not in marks), f"x{secrets.token_hex(4)}")

    def _release(self, keys: Iterable[tuple[str, str]]) -> None:
        for key in keys:
            for held in self._held.pop(key, []):
                held.close()


_MODE = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class DeviceClaims:
    """The claims of this process and of other clusters in the same registry, where the system has none between users.

    They are locks, so they end with the process that holds them, however that happens.
    """

    def __init__(self, directory: Path, policy: GPUPolicy = DEFAULT) -> None:
        self.policy = policy
        self._directory = directory / "devices"
        self._held: list[int] = []

    @contextmanager
    def choosing(self) -> Iterator[Mapping[str, int]]:
        """Let no other cluster of this user choose meanwhile; yields the claimed UUIDs, with 1 each."""
        self._directory.mkdir(mode=0o700, exist_ok=True)
        with lock.held(self._directory / "lock"):
            yield Counter(self._claimed())

    def claim(self, uuids: Iterable[str]) -> None:
        """Claim devices until this process ends. Others may have claimed them as well."""
        self._directory.mkdir(mode=0o700, exist_ok=True)
        for uuid in uuids:
            descriptor = os.open(self._directory / _file_name(uuid), _MODE, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            self._held.append(descriptor)

    def set_expected_end(self, ends: float | None) -> None:
        """Do nothing, as there is no queue."""

    def release(self) -> None:
        while self._held:
            os.close(self._held.pop())

    def _claimed(self) -> Iterator[str]:
        for path in self._directory.glob("device-*"):
            uuid = unquote(path.name.removeprefix("device-"))
            if _file_name(uuid) != path.name or path.is_symlink() or not path.is_file():
                continue
            descriptor = os.open(path, _MODE, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield uuid
            finally:
                os.close(descriptor)


def _file_name(uuid: str) -> str:
    return f"device-{quote(uuid, safe='')}"


PATIENCE_SECONDS = 8.0


class StillQueued(Exception):
    """Nothing is free; try again in a second. `before`: earlier places for the same GPUs. `seconds`: until they end."""

    def __init__(self, before: int, seconds: float | None) -> None:
        who = f"{before} before you" if before else "you are next"
        about = f", about {_minutes(seconds)}" if seconds is not None else ""
        super().__init__(f"In queue: {who}{about}")
        self.before = before
        self.seconds = seconds


class Line:
    """One cluster's place in the queue. `parts`: how many clusters may have each GPU that is assigned, by UUID."""

    def __init__(self, claims: NodeClaims, parts: Mapping[str, int]) -> None:
        self._claims = claims
        self.parts = parts
        self._place: socket.socket | None = None
        self._before: set[int] = set()
        self._could: dict[int, float] = {}  # Since when an earlier place could have what it waits for.
        self._passed_over: set[int] = set()

    def take(self, candidates: Sequence[str], count: int, *, chosen: bool, ends: float | None = None) -> None:
        """Claim that many of the candidates, the best first; with `chosen` only these are accepted.

        Raises `StillQueued`: they are not free, or others came first. The place is kept until the next try.
        """
        node = self._claims.look()
        if self._place is None:
            node = self._join(candidates if chosen else None, count)
        self._before &= {place.socket for place in node.line}
        free, before = self._left_over(node, candidates)
        good = sorted((uuid for uuid in candidates if free.get(uuid, 0) > 0), key=lambda uuid: node.counts[uuid])
        if len(good) >= count:
            with suppress(ClaimedMeanwhile):
                self._claims.claim_parts(good[:count], self.parts, ends=ends)
                self.leave()
                return
        raise StillQueued(before, self._seconds(node, candidates, before, count))

    def leave(self) -> None:
        if self._place is not None:
            self._place.close()
            self._place = None

    def _join(self, wanted: Sequence[str] | None, count: int) -> Node:
        while self._place is None:
            arrived = int(seconds_since_boot() * 1e9)
            self._place = hold(place_name(arrived, count, wanted))
        node = self._claims.look()
        self._before = {place.socket for place in node.line if place.arrived < arrived}
        return node

    def _left_over(self, node: Node, candidates: Sequence[str]) -> tuple[dict[str, int], int]:
        """Return what is free once all earlier places are served, and how many of them wait for the same GPUs."""
        counts = node.counts
        free = {uuid: max(0, parts - counts[uuid]) for uuid, parts in self.parts.items()}
        before = 0
        for place in node.line:
            if place.socket not in self._before or place.user in self._passed_over:
                continue
            if place.count > sum(place.takes(uuid) for uuid in self.parts):
                continue  # A request for more than there is would wait, and delay others, for ever.
            given = [uuid for uuid in sorted(free, key=lambda uuid: -free[uuid]) if free[uuid] and place.takes(uuid)]
            if self._is_late(place, len(given) >= place.count):
                continue
            before += any(place.takes(uuid) for uuid in candidates)
            for uuid in given[: place.count]:
                free[uuid] -= 1
        return free, before

    def _is_late(self, place: Place, could: bool) -> bool:
        if not could:
            self._could.pop(place.socket, None)
            return False
        since = self._could.setdefault(place.socket, time.monotonic())
        if time.monotonic() - since > PATIENCE_SECONDS and place.user != os.getuid():
            # All places of this user: otherwise the next one would delay all others.
            self._passed_over.add(place.user)
        return time.monotonic() - since > PATIENCE_SECONDS

    @staticmethod
    def _seconds(node: Node, candidates: Sequence[str], before: int, count: int) -> float | None:
        ends = sorted(claim.ends for claim in node.claims if claim.uuid in set(candidates) and claim.ends is not None)
        needed = before + count
        if not 0 < needed <= len(ends):
            return None
        return max(0.0, ends[needed - 1] - seconds_since_boot())


def _minutes(seconds: float) -> str:
    return spoken(seconds) if seconds >= 3600 else f"{max(1, round(seconds / 60))} min"
