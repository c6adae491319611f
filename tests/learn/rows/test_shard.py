"""The blocks of one rank, and which of them are joined for algorithms that want larger ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gpucluster.learn.cluster import lloyd
from gpucluster.learn.cluster.lloyd import kmeans
from gpucluster.learn.cluster.seeding import Start
from gpucluster.learn.communicators.communicator import SerialCommunicator
from gpucluster.learn.rows import shard
from gpucluster.learn.rows.block import Block
from gpucluster.learn.rows.shard import Shard

WANTED = 30
X = np.random.default_rng(0).normal(size=(100, 3))


def _blocks(*ends: int, **more: Any) -> list[Block]:
    """Return blocks of X that end there, and begin where the one before ends."""
    begins = (0, *ends[:-1])
    return [
        Block(number, first, X[first:last], **more)
        for number, (first, last) in enumerate(zip(begins, ends, strict=True))
    ]


def _joined(blocks: list[Block], **options: Any) -> list[tuple[int | None, int]]:
    rows = Shard(SerialCommunicator(), blocks, counted=True, **options).in_larger_blocks(WANTED)
    for block in rows.blocks:
        if block.start is not None:
            np.testing.assert_array_equal(block.X, X[block.start : block.start + len(block)].astype(block.X.dtype))
    return [(block.start, len(block)) for block in rows.blocks]


def test_small_neighbours_are_joined_and_keep_their_place() -> None:
    assert _joined(_blocks(20, 40, 60)) == [(0, 60)]
    assert _joined(_blocks(20, 60, 80, 100)) == [(0, 20), (20, 40), (60, 40)], "a large one is left as it is"
    assert _joined(_blocks(10, 20)) == [(0, 10), (10, 10)], "together they are still small"
    first, _, third = _blocks(20, 40, 60)
    assert _joined([first, third]) == [(0, 20), (40, 20)], "another rank has what lies between"
    assert _joined([]) == []


def test_what_cannot_be_joined_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    apart = [(0, 20), (20, 20)]
    assert _joined(_blocks(20, 40, weights=np.ones(20))) == apart
    assert _joined(_blocks(20, 40, y=np.ones(20))) == apart
    one, other = _blocks(20, 40)
    assert _joined([one, Block(1, 20, other.X.astype(np.float32))]) == apart, "types would change"
    assert _joined([Block(0, None, one.X), Block(1, None, other.X)]) == [(None, 20), (None, 20)]
    assert _joined([one, other], n_threads=2) == apart, "several threads would cut them again"
    assert _joined([one, other]) == [(0, 40)]
    monkeypatch.setattr(shard, "JOINED_BYTES", one.X.nbytes * 2 - 1)
    assert _joined([one, other]) == apart


def test_k_means_of_joined_blocks_is_that_of_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lloyd, "FEWEST_ROWS", WANTED)
    found = []
    for blocks in (_blocks(25, 50, 75, 100), _blocks(100)):
        labels: dict[int, Any] = {}
        rows = Shard(SerialCommunicator(), blocks, counted=True)
        start = Start("given", 4, 0, X[None, :4])
        result = kmeans(rows, start=start, max_iter=20, tol=0, n_init=1, keep=labels)
        found.append((result, np.concatenate([labels[first] for first in sorted(labels)])))
    (ours, our_labels), (theirs, their_labels) = found
    np.testing.assert_array_equal(our_labels, their_labels)
    np.testing.assert_array_equal(ours.centers, theirs.centers)
    assert (ours.inertia, ours.n_iter) == (theirs.inertia, theirs.n_iter)
