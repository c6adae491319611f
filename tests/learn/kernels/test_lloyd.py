"""Both kernels of k-means do the same, for any points, weights and centres."""

from typing import Any

import numpy as np
import pytest
from gpucluster.learn.kernels import lloyd
from gpucluster.learn.kernels.random_numbers import uniform
from gpucluster.learn.rows.block import Block
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest


def expected(X: Any, weights: Any, centers: Any) -> tuple[Any, Any, float]:
    apart = ((X[:, None] - centers[None]) ** 2).sum(axis=2)
    labels = apart.argmin(axis=1)
    belongs = (labels == np.arange(len(centers))[:, None]) * weights
    return belongs @ X, belongs.sum(axis=1), float((apart.min(axis=1) * weights).sum())


@pytest.mark.parametrize("kernel", [lloyd._ScikitLearn, lloyd._Generic])
@pytest.mark.parametrize("far", [0.0, 1e6])
@given(data=st.data())
@settings(max_examples=40)
def test_sums_and_inertia(kernel: Any, far: float, data: Any) -> None:
    n, k, d = data.draw(st.integers(0, 60)), data.draw(st.integers(1, 12)), data.draw(st.integers(1, 4))
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    dtype = data.draw(st.sampled_from([np.float32, np.float64]))
    X, centers = random.normal(size=(n, d)).astype(dtype), 2 * random.normal(size=(k, d)).astype(dtype)
    weights = random.integers(0, 3, n).astype(dtype) if data.draw(st.booleans()) else None
    order = data.draw(st.sampled_from("CF"))
    offset = np.full(d, far) if far else None
    shifted = np.asarray(X + dtype(far), order=order) if far else np.asarray(X, order=order)
    X = (shifted - dtype(far)).astype(np.float64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lloyd, "kernel_of", lambda X, centers: kernel)
        patch.setattr(kernel, "rows", staticmethod(lambda centers: 17))
        block = Block(0, 5, shifted, weights=weights)
        kept: dict[int, Any] = {}
        found, inertia = lloyd.sums_of(block, centers, offset), lloyd.inertia_of(block, centers, offset, kept)
        labels = lloyd.labels_of(shifted, centers, offset)
    wanted = expected(X, np.ones(n) if weights is None else weights.astype(float), centers.astype(float))
    tolerance = {"rtol": 1e-4, "atol": 1e-4} if dtype == np.float32 else {"rtol": 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(found.sums, wanted[0], **tolerance)
    np.testing.assert_allclose(found.weights, wanted[1])
    np.testing.assert_allclose(inertia, wanted[2], **tolerance)
    assert list(kept) == list(range(5, 5 + n, 17))
    assert labels.dtype == np.int32
    np.testing.assert_array_equal(labels, np.concatenate([np.empty(0), *kept.values()]))


def test_the_installed_kernel_of_scikit_learn_is_used() -> None:
    assert lloyd._scikit_learn_works()
    assert lloyd.kernel_of(np.ones((2, 2), np.float32), np.ones((1, 2), np.float32)) is lloyd._ScikitLearn


def test_a_changed_kernel_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    import sklearn.cluster._k_means_lloyd as theirs

    for changed in (lambda *args, **options: None, lambda X: X):
        monkeypatch.setattr(theirs, "lloyd_iter_chunked_dense", changed)
        assert not lloyd._scikit_learn_works.__wrapped__()


def test_random_numbers_depend_on_the_row_only() -> None:
    whole = uniform(np.empty(0), 0, 1000, seed=7, draw=3)
    parts = [uniform(np.empty(0), start, 250, seed=7, draw=3) for start in (0, 250, 500, 750)]
    np.testing.assert_array_equal(whole, np.concatenate(parts))


def test_random_numbers_are_uniform_and_independent() -> None:
    draws = np.stack([uniform(np.empty(0), 0, 20_000, seed, draw) for seed in (0, 1) for draw in (0, 1, 1 << 32)])
    assert (draws > 0).all()
    assert (draws < 1).all()
    assert all(kstest(draw, "uniform").pvalue > 1e-4 for draw in draws)
    correlation = np.corrcoef(np.concatenate([draws, draws[:1, ::-1], np.roll(draws[:1], 1, axis=1)]))
    assert np.abs(correlation - np.eye(len(correlation))).max() < 0.03
