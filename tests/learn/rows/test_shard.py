"""The blocks of one rank, and joining them for algorithms that need larger ones."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from gpucluster.learn.cluster import lloyd
from gpucluster.learn.cluster.lloyd import kmeans
from gpucluster.learn.cluster.seeding import Start
from gpucluster.learn.communicators.communicator import SerialCommunicator
from gpucluster.learn.rows import shard
from gpucluster.learn.rows.block import Block
from gpucluster.learn.rows.placement import SLACK, place
from gpucluster.learn.rows.shard import Shard
from hypothesis import given
from hypothesis import strategies as st

WANTED = 30
X = np.random.default_rng(0).normal(size=(100, 3))


def _blocks(*ends: int, **more: Any) -> list[Block]:
    """Return consecutive blocks of X that end at these rows."""
    return [Block(number, first, X[first:last], **more) for number, (first, last) in enumerate(pairwise((0, *ends)))]


def _joined(blocks: list[Block], **options: Any) -> list[tuple[int, int | None, int]]:
    """Return number, first row and length of each block after small ones are joined."""
    rows = Shard(SerialCommunicator(), blocks, counted=True, **options).in_larger_blocks(WANTED)
    return [(block.number, block.start, len(block)) for block in rows.blocks]


def test_small_blocks_are_joined_in_their_order() -> None:
    first, second, third = _blocks(20, 40, 60)
    assert _joined([first, second, third]) == [(0, None, 60)]
    assert _joined([first, third]) == [(0, None, 40)], "another rank has the block between them"
    [block] = Shard(SerialCommunicator(), [first, third]).in_larger_blocks(WANTED).blocks
    np.testing.assert_array_equal(block.X, np.concatenate([first.X, third.X]))
    assert _joined(_blocks(20, 60, 80)) == [(0, None, 40), (1, 20, 40)], "a large one is not joined"
    assert _joined([*_blocks(20, 60), Block(2, 60, X[60:80].astype(np.float32)), Block(3, 80, X[80:])]) == [
        (0, None, 40), (1, 20, 40), (2, 60, 20),
    ]  # fmt: skip
    assert _joined(_blocks(10, 20)) == [(0, 0, 10), (1, 10, 10)], "together they are still small"
    assert _joined([]) == []


def test_blocks_that_are_not_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    apart = [(0, 0, 20), (1, 20, 20)]
    assert _joined(_blocks(20, 40, weights=np.ones(20))) == apart
    assert _joined(_blocks(20, 40, y=np.ones(20))) == apart
    one, other = _blocks(20, 40)
    assert _joined([one, Block(1, 20, other.X.astype(np.float32))]) == apart, "different dtypes"
    assert _joined([one, other], n_threads=2) == apart, "several threads would divide them again"
    assert _joined([one, other]) == [(0, None, 40)]
    monkeypatch.setattr(shard, "JOINED_BYTES", one.X.nbytes * 2)
    assert _joined(_blocks(20, 40, 60, 80)) == [(0, None, 40), (2, 40, 20), (3, 60, 20)], "the memory limit"
    monkeypatch.setattr(shard, "JOINED_BYTES", one.X.nbytes * 2 - 1)
    assert _joined([one, other]) == apart


def test_k_means_of_joined_blocks_is_that_of_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lloyd, "FEWEST_ROWS", WANTED)
    # The last centre is far from all rows: its cluster is empty, and is moved to a row by its number.
    start = Start("given", 5, 0, np.concatenate([X[:4], [[90.0, 90.0, 90.0]]])[None])
    ours, theirs = (
        kmeans(Shard(SerialCommunicator(), blocks, counted=True), start=start, max_iter=20, tol=0, n_init=1)
        for blocks in (_blocks(25, 50, 75, 100), _blocks(100))
    )
    np.testing.assert_array_equal(ours.centers, theirs.centers)
    assert (ours.inertia, ours.n_iter) == (theirs.inertia, theirs.n_iter)


def test_labels_are_kept_by_the_numbers_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lloyd, "FEWEST_ROWS", WANTED)
    labels: dict[int, Any] = {}
    first, _, third = _blocks(25, 50, 75)
    rows = Shard(SerialCommunicator(), [first, third], counted=True)
    found = kmeans(rows, start=Start("given", 4, 0, X[None, :4]), max_iter=20, tol=0, n_init=1, keep=labels)
    assert sorted(labels) == [0, 50]
    for start, known in labels.items():
        distances = np.square(X[start : start + 25, None] - found.centers).sum(axis=2)
        np.testing.assert_array_equal(known, distances.argmin(axis=1))


def test_placement_of_blocks():
    assert place([["b"], ["a"], ["b"], ["a"]], [5, 5, 5, 5], {"a": 1, "b": 1}) == ["b", "a", "b", "a"], "they stay"
    assert Counter(place([["a"]] * 8, [10] * 8, {"a": 1, "b": 1})) == {"a": 4, "b": 4}, "half of them moves"
    assert Counter(place([["a"]] * 8, [10] * 8, {"a": 1, "b": 3})) == {"a": 2, "b": 6}, "more threads get more"
    assert place([["gone"], ["a"]], [1, 1], {"a": 1}) == ["a", "a"], "a lost worker gets none"
    assert set(place([["a"], []], [0, 0], {"a": 1, "b": 1})) <= {"a", "b"}, "blocks without rows"


@given(
    st.lists(st.tuples(st.integers(0, 10**9), st.sampled_from(["a", "b", "c", "gone"])), min_size=1, max_size=60),
    st.dictionaries(st.sampled_from(["a", "b", "c"]), st.integers(1, 8), min_size=1),
)
def test_no_worker_is_overloaded(blocks, workers):
    sizes = [size for size, _ in blocks]
    chosen = place([[holder] for _, holder in blocks], sizes, workers)
    assert len(chosen) == len(blocks) and set(chosen) <= set(workers)
    share = sum(sizes) / sum(workers.values())
    for worker, threads in workers.items():
        load = sum(size for size, address in zip(sizes, chosen, strict=True) if address == worker)
        assert load <= SLACK * share * threads + max(sizes) or load == pytest.approx(sum(sizes))
