"""Checking only the rows that may have a new nearest centre gives the same result as checking all rows."""

from typing import Any

import numpy as np
import pytest
from gpucluster.learn.cluster.lloyd import lloyd as run_lloyd
from gpucluster.learn.communicators.communicator import SerialCommunicator
from gpucluster.learn.kernels import bounds, lloyd
from gpucluster.learn.rows.block import Block
from gpucluster.learn.rows.shard import Shard
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use bounds for small blocks too, in several pieces."""
    for name, value in {"FEWEST_ROWS": 10, "SLICE_ROWS": 64, "GAP_ROWS": 32, "SAMPLED": 2}.items():
        monkeypatch.setattr(bounds, name, value)


def nearest(X: Any, centers: Any) -> tuple[Any, Any]:
    """Brute force: squared distances from all centres, and from the nearest one."""
    apart = ((X[:, None].astype(float) - centers[None].astype(float)) ** 2).sum(axis=2)
    return apart, apart.min(axis=1)


@given(data=st.data())
@settings(max_examples=150)
@pytest.mark.full
def test_sums_labels_and_inertia_of_pass_after_pass(data: Any) -> None:
    n, k, d = data.draw(st.integers(10, 200)), data.draw(st.integers(2, 9)), data.draw(st.integers(4, 6))
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    dtype = data.draw(st.sampled_from([np.float32, np.float64]))
    far = data.draw(st.sampled_from([0.0, 1e4]))
    # Numbers on a grid: many rows are equal, or equally far from two centres.
    X = random.normal(size=(n, d)) if data.draw(st.booleans()) else random.integers(0, 3, (n, d))
    X = np.asarray((X + far).astype(dtype), order=data.draw(st.sampled_from("CF")))
    offset = np.full(d, far) if far else None
    near = (X - dtype(far)).astype(dtype)
    block, followed = Block(3, 7, X), bounds.Bounds()
    cost = data.draw(st.sampled_from([0.5, 20.0]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounds, "START_COST", cost)
        patch.setattr(bounds, "STOP_COST", cost)
        centers = near[random.integers(0, n, k)].copy()
        for _ in range(8):
            size = data.draw(st.sampled_from([0.0, 1e-3, 0.1, 0.1, 3.0]))
            # One of them may move while the others stay.
            which = np.ones(k, bool) if data.draw(st.booleans()) else np.arange(k) == random.integers(k)
            centers = (centers + size * which[:, None] * random.normal(size=(k, d))).astype(dtype)
            found = followed.sums_of(block, centers, offset)
            apart, least = nearest(near, centers)
            kept = followed._kept[3, 7]
            tolerance = 1e-4 if dtype == np.float32 else 1e-10
            assert found.weights.sum() == n
            if kept.gaps is None:
                continue
            np.testing.assert_allclose(apart[np.arange(n), kept.labels], least, atol=tolerance * 100, rtol=tolerance)
            belongs = kept.labels == np.arange(k)[:, None]
            np.testing.assert_array_equal(found.weights, belongs.sum(axis=1))
            np.testing.assert_allclose(found.sums, belongs @ near.astype(float), atol=tolerance * n, rtol=tolerance)
            labels: dict[int, Any] = {}
            inertia = followed.inertia_of(block, centers, offset, labels)
            np.testing.assert_allclose(inertia, least.sum(), rtol=tolerance, atol=tolerance * 100)
            np.testing.assert_array_equal(np.concatenate(list(labels.values())), kept.labels)
            # The caller may change the result.
            found.sums[...] = np.nan


@given(seed=st.integers(0, 2**32), dtype=st.sampled_from([np.float32, np.float64]), far=st.sampled_from([0.0, 1e3]))
@settings(max_examples=30)
def test_few_centers_move_jump_and_become_empty(seed: int, dtype: Any, far: float) -> None:
    """The others hardly move. There are two blocks, the second one with some equal rows."""
    random = np.random.default_rng(seed)
    k, d = 6, 5
    middles = 4 * random.normal(size=(k, d))
    X = (middles[random.integers(0, k, 400)] + random.normal(size=(400, d)) + far).astype(dtype)
    X[300:340] = X[299]
    near, offset = X - dtype(far), np.full(d, far) if far else None
    blocks, followed = [Block(0, 0, X[:150]), Block(1, 150, X[150:])], bounds.Bounds()
    centers, wanderers, with_gaps = middles.astype(dtype), random.permutation(k)[:2], 0
    for turn in range(25):
        centers = centers + dtype(1e-4) * random.normal(size=(k, d)).astype(dtype)
        centers[wanderers] += (0.05 * (1 + turn % 8) * random.normal(size=(2, d))).astype(dtype)
        if turn == 12:
            centers[wanderers[0]] = centers[wanderers[1]]  # as far from all rows
        if turn == 16:
            centers[wanderers[1]] = 100  # without rows
        if turn == 20:
            centers[wanderers[1]] = near[5]
        apart, least = nearest(near, centers)
        for block in blocks:
            found, rows = followed.sums_of(block, centers, offset), slice(block.start, block.start + len(block))
            kept = followed._kept[block.number, block.start]
            tolerance = 1e-4 if dtype == np.float32 else 1e-9
            if kept.gaps is not None:
                own = apart[rows][np.arange(len(block)), kept.labels]
                np.testing.assert_allclose(own, least[rows], rtol=tolerance, atol=tolerance * 100)
                belongs, with_gaps = kept.labels == np.arange(k)[:, None], with_gaps + 1
                np.testing.assert_array_equal(found.weights, belongs.sum(axis=1))
                sums = belongs @ near[rows].astype(float)
                np.testing.assert_allclose(found.sums, sums, rtol=tolerance, atol=tolerance * 400)
            assert found.weights.sum() == len(block)
    assert with_gaps > 10


@given(seed=st.integers(0, 2**32), dtype=st.sampled_from([np.float32, np.float64]))
@settings(max_examples=60)
def test_gaps_are_lower_bounds(seed: int, dtype: Any) -> None:
    random = np.random.default_rng(seed)
    X = (10.0 ** random.integers(-3, 4) * random.normal(size=(100, 5)) + 10.0 ** random.integers(-3, 4)).astype(dtype)
    centers = X[random.integers(0, 100, 4)] + dtype(0.1) * random.normal(size=(4, 5)).astype(dtype)
    labels = random.integers(0, 4, 100).astype(np.int32)
    apart = np.sqrt(nearest(X, centers)[0])
    own = apart[np.arange(100), labels].copy()
    apart[np.arange(100), labels] = np.inf
    true = apart.min(axis=1) - own
    gaps = bounds.gaps_of(X, centers, labels)
    assert (gaps <= np.maximum(true, 0)).all()
    assert (gaps[true <= 0] < 0).all()


def test_nan_and_overflow_have_negative_gaps() -> None:
    X = np.ones((20, 4))
    X[3], X[4] = np.nan, 1e200
    assert (bounds.gaps_of(X, np.eye(2, 4), np.zeros(20, np.int32))[3:5] < 0).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_same_result_as_without_bounds(dtype: Any) -> None:
    """Most iterations skip most rows."""
    random = np.random.default_rng(0)
    X = (random.normal(size=(12, 6))[random.integers(0, 12, 6000)] + random.normal(size=(6000, 6)) * 0.6).astype(dtype)
    found = []
    looked: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounds, "SAMPLED", 16)
        original = bounds._look
        patch.setattr(
            bounds, "_look",
            lambda *given: (looked.append(len(given[1] if given[3] is None else given[3])), original(*given)),
        )  # fmt: skip
        for stay in (True, False):
            blocks = [Block(0, 0, X[:2500]), Block(1, 2500, X[2500:])]
            rows = Shard(SerialCommunicator(), blocks, counted=True)
            rows.stay = stay
            keep: dict[int, Any] = {}
            found.append(
                (run_lloyd(rows, rows, X[:12], None, 300, 0.0, keep), np.concatenate([keep[k] for k in sorted(keep)]))
            )
    (one, labels), (other, others) = found
    assert one.n_iter == other.n_iter > 20
    np.testing.assert_allclose(one.centers, other.centers, rtol=1e-4 if dtype == np.float32 else 1e-12)
    assert one.inertia == pytest.approx(other.inertia, rel=1e-6)
    np.testing.assert_array_equal(labels, others)
    assert len(looked) > 10
    assert np.mean(looked) < 0.2 * 3000


@pytest.mark.parametrize("block", [
    Block(0, 0, np.ones((20, 6)), weights=np.ones(20)), Block(0, 0, np.ones((20, 2))), Block(0, 0, np.ones((9, 6))),
], ids=["weights", "two columns", "few rows"])  # fmt: skip
def test_unsuitable_blocks_keep_no_bounds(block: Block) -> None:
    followed, centers = bounds.Bounds(), np.eye(2, block.X.shape[1])
    for _ in range(3):
        found, plain = followed.sums_of(block, centers, None), lloyd.sums_of(block, centers, None)
        np.testing.assert_array_equal(found.sums, plain.sums)
    assert not followed._kept
