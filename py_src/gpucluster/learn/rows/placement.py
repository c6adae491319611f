"""Assign blocks to workers."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from dask.delayed import delayed
from dask.sizeof import sizeof

from ..arrays import DaskArray
from .table import Table
from .waiting import computed

SLACK = 1.1  # A worker keeps its blocks up to this multiple of its share of the bytes.


def place(holders: Sequence[Sequence[str]], sizes: Sequence[int], workers: Mapping[str, int]) -> list[str]:
    """Return a worker for each block: mostly one that has it, with about the same bytes per thread for all.

    ``holders`` has the addresses of the workers with each block, ``sizes`` its bytes, and ``workers``, not empty, the
    threads of the workers that may take blocks.
    """
    share = sum(sizes) / sum(workers.values())
    load = dict.fromkeys(workers, 0.0)
    chosen: list[str | None] = [None] * len(sizes)
    # Large blocks first, because they are expensive to move.
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


OBJECT_BYTES = 64  # Of a short string with its pointer.
SAMPLED_BLOCKS = 3  # Blocks that are measured where the numbers of rows are unknown.


def fits_into_workers(table: Table, workers: Mapping[str, Any], share: float) -> bool:
    """Whether every worker's blocks would take at most this share of its memory, by the scheduler's information.

    Nothing is computed where the numbers of rows are known. Where they are not, as in data frames, some blocks are
    computed and measured; the others are assumed to be as large as the largest of them.
    """
    if not any(info["memory_limit"] for info in workers.values()):
        return True
    sizes = block_bytes(table)
    threads = {address: info["nthreads"] for address, info in workers.items()}
    return within_limits(place([()] * len(sizes), sizes, threads), sizes, workers, share)


def within_limits(addresses: list[str], sizes: list[int], workers: Mapping[str, Any], share: float) -> bool:
    """Whether blocks of these sizes, in bytes, take at most this share of the memory of the chosen workers."""
    taken: dict[str, int] = {}
    for address, size in zip(addresses, sizes, strict=True):
        taken[address] = taken.get(address, 0) + size
    limits = {address: workers[address]["memory_limit"] for address in taken}
    return all(not limits[address] or size <= share * limits[address] for address, size in taken.items())


def block_bytes(table: Table) -> list[int]:
    """Return the bytes of each block of a table, with its labels and weights."""
    if table.n_rows is not None:
        of_row = sum(map(_row_bytes, table.collections))
        return [math.ceil(length * of_row) for length in table.X.chunks[0]]
    return [max(_measured(table))] * table.n_blocks


def _row_bytes(array: DaskArray) -> float:
    item = array.dtype.itemsize + (OBJECT_BYTES if array.dtype.hasobject else 0)
    return float(math.prod(array.shape[1:]) * item)


def _measured(table: Table) -> list[int]:
    """Return the bytes of some blocks, spread over the table."""
    measure = delayed(_bytes_of, pure=False)
    count = max(1, min(SAMPLED_BLOCKS, table.n_blocks // 4))
    places = np.linspace(0, table.n_blocks, count, endpoint=False).astype(int) + table.n_blocks // (2 * count)
    blocks = table.delayed_blocks()
    return list(computed(*[measure(*blocks[int(number)]) for number in places]))


def _bytes_of(*parts: Any) -> int:
    return sum(sizeof(part) for part in parts if part is not None)
