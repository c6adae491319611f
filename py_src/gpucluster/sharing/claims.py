"""Which GPUs on this machine are claimed, by any user: a cluster that has just chosen one uses none of it yet.

Without a site's slots, a claim excludes no one: it lets the next cluster that is free to choose take another GPU, and
where all are claimed, they are shared.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import socket
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, unquote

from ..operating_system.abstract_names import hold, seconds_since_boot
from ..registry import lock
from .node import Node, claim_name, held_name, read_node
from .policy import DEFAULT, GPUPolicy

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
        """Claim GPUs until this process ends.

        `ends`: the latest end, in seconds since the boot. Raises `ClaimedMeanwhile`: another process has claimed one of
        them since ``choosing``; none of these is claimed now.
        """
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
        self.tell_end(ends)

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

    def tell_end(self, ends: float | None) -> None:
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

    def tell_end(self, ends: float | None) -> None:
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
