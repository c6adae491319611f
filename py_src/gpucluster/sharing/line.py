"""The queue for GPUs that are taken: first come, first served, across users.

A cluster takes a place, whose name has the time of arrival, and remembers the places that were there then. A place that
appears later is behind, whatever its name claims. If the GPUs that an earlier place waits for are free and not taken
within ``PATIENCE_SECONDS``, its user is skipped, so a process that hangs or only occupies a place delays others only
briefly. Free GPUs are kept for a cluster that needs several until there are enough, so that it does not wait for ever.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from ..operating_system.abstract_names import hold, seconds_since_boot
from ..protocol.durations import spoken
from .claims import ClaimedMeanwhile, NodeClaims
from .node import Node, Place, place_name

PATIENCE_SECONDS = 8.0


class InLine(Exception):
    """Nothing is free; try again in a second.

    `before`: number of earlier places that wait for the same GPUs. `seconds`: estimate from the published ends of the
    claims.
    """

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
        """Claim that many of these GPUs, those with the fewest claims first.

        * `candidates`: UUIDs, the best first.
        * `chosen`: whether only these are accepted.
        * `ends`: the latest end, in seconds since the boot.

        Raises `InLine`: they are not free, or others came first. The place is kept until the next try.
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
        raise InLine(before, self._seconds(node, candidates, before, count))

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
