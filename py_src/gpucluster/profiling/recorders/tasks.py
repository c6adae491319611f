"""Tasks on the scheduler: sums over those that have ended, blocks to draw, and the time with submitted tasks."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ...dask_internals.scheduler_state import transition_facts


class Block(NamedTuple):
    """One task of a thread, or several short ones that are drawn as one."""

    worker: str
    thread: int
    prefix: str
    start: float
    stop: float
    n_tasks: int
    busy_seconds: float


def bounded(blocks: Iterable[Block], budget: int) -> list[Block]:
    """Join short blocks until there are about ``budget``, at most ``2 * budget`` plus two per thread.

    Each thread's time is cut into equal bins. Shorter blocks that begin in the same bin become one, named after the
    kind of task with the most time. Total busy time and number of tasks are kept.
    """
    known = list(blocks)
    if len(known) <= budget:
        return sorted(known, key=lambda block: block.start)
    lanes = {(block.worker, block.thread) for block in known}
    begin = min(block.start for block in known)
    width = max(max(block.stop for block in known) - begin, 1e-9) * len(lanes) / budget
    kept: list[Block] = []
    short: list[Block] = []
    for block in known:
        (kept if block.stop - block.start > width else short).append(block)
    if len(kept) > budget + len(lanes):
        # They overlap, like coroutines on one thread: join even long ones.
        kept, short = [], known
    bins: dict[tuple[str, int, int], list[Block]] = {}
    for block in short:
        bins.setdefault((block.worker, block.thread, int((block.start - begin) / width)), []).append(block)
    kept += [_joined(together) for together in bins.values()]
    return sorted(kept, key=lambda block: block.start)


def _joined(blocks: list[Block]) -> Block:
    if len(blocks) == 1:
        return blocks[0]
    shares: dict[str, float] = {}
    for block in blocks:
        shares[block.prefix] = shares.get(block.prefix, 0.0) + block.busy_seconds
    return Block(
        blocks[0].worker,
        blocks[0].thread,
        max(shares, key=lambda prefix: shares[prefix]),
        min(block.start for block in blocks),
        max(block.stop for block in blocks),
        sum(block.n_tasks for block in blocks),
        sum(block.busy_seconds for block in blocks),
    )


def covered_seconds(intervals: Iterable[tuple[float, float]]) -> float:
    """Return the length of the union of intervals."""
    total, end = 0.0, float("-inf")
    for start, stop in sorted(intervals):
        total += max(0.0, stop - max(start, end))
        end = max(end, stop)
    return total


def spread(busy: dict[tuple[str, int], float], most: int) -> list[tuple[str, int]]:
    """Choose at most `most` threads, evenly from the busiest to the idlest."""
    ranked = sorted(busy, key=lambda lane: -busy[lane])
    if len(ranked) <= most:
        return ranked
    if most == 1:
        return ranked[:1]
    return [ranked[round(place * (len(ranked) - 1) / (most - 1))] for place in range(most)]


UNFINISHED = ("processing", "waiting", "queued", "no-worker")  # States of tasks that are not over.
HELD_BLOCKS = 50_000
SENT_BLOCKS = 2_000
SENT_THREADS = 48
_FAILURES = 5
_FAILURE_LETTERS = 160
_SUMS = ("n_tasks", "n_failed", "compute_seconds", "transfer_seconds", "disk_seconds", "longest_seconds",
         "result_bytes", "largest_result_bytes")  # fmt: skip
"""Fields of the report's figures of a kind of task."""
_STEPS = {"compute": "compute_seconds", "transfer": "transfer_seconds", "disk-read": "disk_seconds",
          "disk-write": "disk_seconds"}  # fmt: skip


class TaskSums:
    """Sums of tasks by prefix, in bounded memory. Computing before ``begin``, by the scheduler's clock, does not
    count."""

    def __init__(self, begin: float) -> None:
        self.begin = begin
        self._prefixes: dict[str, dict[str, float]] = {}
        self._blocks: list[Block] = []
        self._failures: dict[str, str] = {}

    def add(self, prefix: str, failed: bool, transition: Mapping[str, Any]) -> float | None:
        """Add a task by its transition on the scheduler; return the seconds it computed, ``None`` if it never did."""
        facts = transition_facts(transition)
        sums = self._prefixes.get(prefix)
        if sums is None:
            sums = self._prefixes[prefix] = dict.fromkeys(_SUMS, 0)
        sums["n_tasks"] += 1
        if failed:
            sums["n_failed"] += 1
            if len(self._failures) < _FAILURES and prefix not in self._failures:
                self._failures[prefix] = facts["exception"][:_FAILURE_LETTERS]
        size = int(facts["n_bytes"])
        sums["result_bytes"] += size
        sums["largest_result_bytes"] = max(sums["largest_result_bytes"], size)
        computed: float | None = None
        for action, start, stop in facts["steps"]:
            seconds = max(0.0, stop - max(start, self.begin))
            if action in _STEPS:
                sums[_STEPS[action]] += seconds
            if action == "compute":
                sums["longest_seconds"] = max(sums["longest_seconds"], seconds)
                computed = (computed or 0.0) + seconds
                self._blocks.append(Block(facts["worker"], facts["thread"], prefix, start, stop, 1, seconds))
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


class SubmittedTime:
    """Sum of the time in which at least one submitted task was not over; ``keys`` are not over now."""

    def __init__(self, keys: Iterable[Any]) -> None:
        self._keys = set(keys)
        self._total = 0.0
        self._since: float | None = None

    def begin(self, now: float) -> None:
        self._total = 0.0
        self._since = now if self._keys else None

    def note(self, key: Any, state: str, now: float) -> None:
        if state in UNFINISHED:
            self._keys.add(key)
            if self._since is None:
                self._since = now
            return
        self._keys.discard(key)
        if not self._keys and self._since is not None:
            self._total += now - self._since
            self._since = None

    def seconds(self, now: float) -> float:
        """Return the time with tasks since the start."""
        return self._total + (0.0 if self._since is None else max(0.0, now - self._since))
