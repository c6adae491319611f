"""Sums over tasks that have ended, and what is needed to draw them.

This module also runs on schedulers, where it is sent by value: it imports nothing else of this package but ``blocks``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .blocks import Block, bounded, covered_seconds, spread

HELD_BLOCKS = 50_000
SENT_BLOCKS = 2_000
SENT_THREADS = 48
_FAILURES = 5
_FAILURE_LETTERS = 160
_SUMS = ("n_tasks", "n_failed", "compute", "transfer", "disk", "other", "longest", "result_bytes", "largest")


class TaskSums:
    """Adds tasks up by prefix. What it holds is bounded, however many there are.

    Parameters
    ----------
    begin : float
        By the scheduler's clock; what was computed before does not count.
    """

    def __init__(self, begin: float) -> None:
        self.begin = begin
        self._prefixes: dict[str, dict[str, float]] = {}
        self._blocks: list[Block] = []
        self._failures: dict[str, str] = {}

    def add(self, prefix: str, failed: bool, facts: Mapping[str, Any]) -> float | None:
        """Add a task.

        Parameters
        ----------
        prefix : str
            Its kind.
        failed : bool
        facts : dict
            What the scheduler tells its plugins of the transition.

        Returns
        -------
        float or None
            Seconds that it computed; None when it never did.
        """
        sums = self._prefixes.get(prefix)
        if sums is None:
            sums = self._prefixes[prefix] = dict.fromkeys(_SUMS, 0)
        sums["n_tasks"] += 1
        if failed:
            sums["n_failed"] += 1
            if len(self._failures) < _FAILURES and prefix not in self._failures:
                self._failures[prefix] = str(facts.get("exception_text") or "")[:_FAILURE_LETTERS]
        size = facts.get("nbytes") or 0
        sums["result_bytes"] += size
        sums["largest"] = max(sums["largest"], size)
        computed: float | None = None
        for step in facts.get("startstops") or ():
            start, stop, action = step["start"], step["stop"], step["action"]
            seconds = max(0.0, stop - max(start, self.begin))
            if action == "compute":
                sums["compute"] += seconds
                sums["longest"] = max(sums["longest"], seconds)
                computed = (computed or 0.0) + seconds
                lane = facts.get("worker") or "", facts.get("thread") or 0
                self._blocks.append(Block(*lane, prefix, start, stop, 1, seconds))
            elif action in ("disk-read", "disk-write"):
                sums["disk"] += seconds
            else:
                sums["transfer" if action == "transfer" else "other"] += seconds
        if len(self._blocks) > HELD_BLOCKS:
            self._blocks = bounded(self._blocks, HELD_BLOCKS // 4)
        return computed

    def collect(self) -> dict[str, Any]:
        """Return the sums and a bounded number of blocks, in plain types."""
        blocks = [block for block in self._blocks if block.stop >= self.begin]
        busy: dict[tuple[str, int], float] = {}
        for block in blocks:
            lane = (block.worker, block.thread)
            busy[lane] = busy.get(lane, 0.0) + block.busy_seconds
        chosen = set(spread(busy, SENT_THREADS))
        drawn = [block for block in blocks if (block.worker, block.thread) in chosen]
        return {
            "prefixes": self._prefixes,
            "blocks": [tuple(block) for block in bounded(drawn, SENT_BLOCKS)],
            "n_blocks": sum(block.n_tasks for block in blocks),
            "n_lanes": len(busy),
            "active_seconds": covered_seconds((max(block.start, self.begin), block.stop) for block in blocks),
            "failures": self._failures,
        }
