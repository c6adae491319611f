"""Turns to start: a machine starts as many clusters at a time as it has processors, first come, first served.

A start takes a second or two of one processor. If thirty users request one at the same moment, none has a cluster until
all starts are nearly done; one after the other, half of the class has its clusters in half of the time, and the number
of earlier ones can be shown. From the request until the cluster runs, its process holds a name:
``gpucluster/s/ARRIVED``, nanoseconds since the boot. As in the queue for GPUs, a name that appears later is behind,
whatever it claims, and a process that hangs or only occupies a place delays others only briefly.
"""

from __future__ import annotations

import os
import re
import socket
import time
from collections import Counter
from contextlib import suppress

from ..operating_system.resources import usable_processors
from ..operating_system.sockets import BoundName, held_names, hold, seconds_since_boot
from .node import prefix

PATIENCE_SECONDS = 5.0
"""A start that takes longer is not waited for. Twice the time on idle processors: on busy ones a start takes long, and
few at a time would get little processor time."""
LONGEST_SECONDS = 60.0  # The longest wait: accounts that hold places without starting could otherwise multiply it.
MOST_OF_A_USER = 2  # Limit of starts per user that are waited for: more would be a way to the front, or a blockade.
_ARRIVED = re.compile(r"0|[1-9][0-9]{0,18}")


class Turn:
    """One cluster's turn, from its request until it runs. `held`: the socket that holds its name."""

    def __init__(self, held: socket.socket) -> None:
        self._held = held
        self._socket = os.fstat(held.fileno()).st_ino
        name = held.getsockname()
        text = name[1:].decode() if isinstance(name, bytes) else ""
        self._arrived = int(text.rpartition("/")[2] or 0)
        self._before: set[int] | None = None
        self._since: dict[int, float] = {}  # Since when earlier ones could have been starting.
        self._passed_over: set[int] = set()
        self.at_a_time = len(usable_processors())

    @classmethod
    def take(cls) -> Turn | None:
        """Return a turn behind all others; ``None``: this system does not report other starts."""
        with suppress(OSError):
            held_names(_prefix())
            for _ in range(8):  # Another one may have come in the same nanosecond.
                held = hold(f"{_prefix()}{int(seconds_since_boot() * 1e9)}")
                if held is not None:
                    return cls(held)
        return None

    @property
    def descriptor(self) -> int:
        """Passed to the process that continues with this turn."""
        return self._held.fileno()

    def before(self) -> int:
        """Return how many clusters start, or wait to start, before this one."""
        try:
            places = self._places()
        except OSError:
            return 0
        if self._before is None:
            self._before = {each.socket for arrived, each in places if arrived < self._arrived}
        counted, seen = 0, Counter[int | None]()
        for _, each in places:
            if each.socket not in self._before or each.user in self._passed_over:
                continue
            seen[each.user] += 1
            if seen[each.user] > MOST_OF_A_USER or self._is_late(each, counted):
                continue
            counted += 1
        return counted

    def has_come(self, before: int) -> bool:
        """Whether a cluster with that many before it starts."""
        waited = seconds_since_boot() - self._arrived / 1e9
        return before < self.at_a_time or waited > LONGEST_SECONDS

    def leave(self) -> None:
        self._held.close()

    def _places(self) -> list[tuple[int, BoundName]]:
        start = _prefix()
        found = []
        for bound in held_names(start):
            text = bound.name.removeprefix(start)
            if bound.socket != self._socket and _ARRIVED.fullmatch(text):
                found.append((int(text), bound))
        return sorted(found, key=lambda place: (place[0], place[1].socket))

    def _is_late(self, place: BoundName, before: int) -> bool:
        if before >= self.at_a_time:
            return False
        since = self._since.setdefault(place.socket, time.monotonic())
        if time.monotonic() - since <= PATIENCE_SECONDS:
            return False
        if place.user != os.getuid() and place.user is not None:
            self._passed_over.add(place.user)
        return True


def in_line(before: int) -> str:
    return f"In queue: {before} {'cluster starts' if before == 1 else 'clusters start'} before this one on this machine"


def _prefix() -> str:
    return f"{prefix()}/s/"
