"""Blocks of a timeline, and how to bound their number.

This module is sent to schedulers by value: it imports only the standard library.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


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
