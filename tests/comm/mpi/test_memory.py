"""Memory of received blocks: reused when they are deleted, and freed later."""

from __future__ import annotations

import gc
import threading
from mmap import PAGESIZE

import numpy as np
import pytest
from distributed.protocol import deserialize, serialize
from gpucluster.comm.mpi import memory
from gpucluster.comm.mpi.memory import KEPT_BYTES, LEAST_BYTES, Memory
from gpucluster.comm.mpi.wire import LINE_BYTES
from hypothesis import given, settings
from hypothesis import strategies as st

MEBIBYTE = 2**20


def place_of(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


@pytest.mark.full
def test_block_is_reused_only_after_all_references_are_gone() -> None:
    kept = Memory()
    header, frames = serialize(np.arange(MEBIBYTE))
    lent = kept.take(8 * MEBIBYTE)
    lent[:] = np.frombuffer(frames[-1], "u1")
    first = place_of(lent)
    array = deserialize(header, [*frames[:-1], memoryview(lent)])
    part = array[10:20]
    del lent, array
    gc.collect()
    assert kept.kept_bytes == 0, "a part of it is still in use"
    other = kept.take(8 * MEBIBYTE)
    assert place_of(other) != first
    assert part.tolist() == list(range(10, 20))
    del part
    gc.collect()
    assert kept.kept_bytes == 8 * MEBIBYTE + PAGESIZE
    assert place_of(kept.take(8 * MEBIBYTE)) == first


def test_small_blocks_are_numpys_own() -> None:
    kept = Memory()
    lent = kept.take(LEAST_BYTES - 1)
    assert lent.base.flags.owndata
    del lent
    assert kept.kept_bytes == 0


def test_unused_memory_is_limited_and_freed_later(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Memory()
    blocks = [kept.take(40 * MEBIBYTE) for _ in range(5)]
    del blocks
    gc.collect()
    kept.forget_old()
    assert kept.kept_bytes == 3 * (40 * MEBIBYTE + PAGESIZE) <= KEPT_BYTES
    kept.forget_old()
    assert kept.kept_bytes == 3 * (40 * MEBIBYTE + PAGESIZE)
    larger = kept.take(KEPT_BYTES + 1)
    del larger
    kept.forget_old()
    assert kept.kept_bytes == 3 * (40 * MEBIBYTE + PAGESIZE), "a block that is too large displaces none"
    monkeypatch.setattr(memory, "KEPT_SECONDS", -1.0)
    kept.forget_old()
    assert kept.kept_bytes == 0


def test_blocks_are_freed_in_any_thread() -> None:
    kept = Memory()
    blocks = [kept.take(2 * MEBIBYTE) for _ in range(20)]
    threads = [threading.Thread(target=blocks.pop) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert kept.kept_bytes == 20 * (2 * MEBIBYTE + PAGESIZE)


def test_blocks_may_be_freed_during_an_allocation(monkeypatch: pytest.MonkeyPatch) -> None:
    """The garbage collector may run within ``take``."""
    kept, blocks = Memory(), []
    fresh = memory._fresh

    def forget_first(size: int) -> object:
        blocks.clear()
        gc.collect()
        return fresh(size)

    blocks += [kept.take(2 * MEBIBYTE) for _ in range(3)]
    monkeypatch.setattr(memory, "_fresh", forget_first)
    lent = kept.take(4 * MEBIBYTE)
    assert (len(lent), kept.kept_bytes) == (4 * MEBIBYTE, 3 * (2 * MEBIBYTE + PAGESIZE))


@settings(max_examples=30)
@given(st.one_of(st.integers(1, 2**16), st.integers(LEAST_BYTES, 2**24)), st.integers(0, LINE_BYTES - 1))
def test_allocations_waste_little(size: int, begin: int) -> None:
    assert size <= memory._rounded(size) <= max(size * 1.13, size + 2**12)
    lent = Memory().take(size, begin)
    assert (len(lent), lent.flags.writeable, place_of(lent) % LINE_BYTES) == (size, True, begin)
    lent[:] = 1
