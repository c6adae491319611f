"""Which worker takes which blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

SLACK = 1.1
"""A worker keeps a block it has, unless it would then have so many times its share of the bytes."""


def place(holders: Sequence[Sequence[str]], sizes: Sequence[int], workers: Mapping[str, int]) -> list[str]:
    """Return a worker for each block: mostly one that has it, and about as many bytes per thread for all.

    Parameters
    ----------
    holders : sequence of sequences of str
        For each block, the addresses of the workers that have it.
    sizes : sequence of int
        Bytes of each block.
    workers : mapping
        Threads of each worker that may take blocks, by address; not empty.
    """
    share = sum(sizes) / sum(workers.values())
    load = dict.fromkeys(workers, 0.0)
    chosen: list[str | None] = [None] * len(sizes)
    # Large blocks first: they are the expensive ones to move.
    order = sorted(range(len(sizes)), key=lambda number: -sizes[number])
    for number in order:
        here = [address for address in holders[number] if address in load]
        here = [address for address in here if load[address] + sizes[number] <= SLACK * share * workers[address]]
        if here:
            _give(chosen, load, number, min(here, key=load.__getitem__), sizes)
    for number in order:
        if chosen[number] is None:
            emptiest = min(workers, key=lambda address: (load[address] + sizes[number]) / workers[address])
            _give(chosen, load, number, emptiest, sizes)
    return [address for address in chosen if address is not None]


def _give(chosen: list[str | None], load: dict[str, float], number: int, address: str, sizes: Sequence[int]) -> None:
    chosen[number] = address
    load[address] += sizes[number]
