"""Generated tables: the same rows for any blocks, and models can be fitted to them."""

from typing import Any

import dask.array as da
import numpy as np
import pytest
from gpucluster import learn
from gpucluster.learn.errors import InvalidParameter, NotSupported

from tests.learn.shared import refused

pytestmark = pytest.mark.usefixtures("in_process")

MAKERS: list[tuple[Any, dict[str, Any]]] = [
    (learn.make_blobs, {}),
    (learn.make_regression, {"n_features": 5, "noise": 0.5}),
    (learn.make_classification, {"n_informative": 5, "n_repeated": 1, "shift": None, "scale": None}),
]


@pytest.mark.parametrize(("make", "options"), MAKERS)
def test_the_same_rows_for_any_blocks(make: Any, options: dict[str, Any]) -> None:
    found = [
        make(9000, random_state=7, **cut, **options)
        for cut in ({"chunks": 1000}, {"chunks": (1, 4096, 4903)}, {"n_parts": 2}, {})
    ]
    assert [X.chunks[0] for X, _ in found[1:3]] == [(1, 4096, 4903), (4500, 4500)]
    for X, y in found:
        assert isinstance(X, da.Array)
        assert X.dtype == np.float64
        np.testing.assert_array_equal(X.compute(), found[0][0].compute())
        np.testing.assert_array_equal(y.compute(), found[0][1].compute())
    other = make(9000, random_state=8, **options)[0]
    assert not np.array_equal(other.compute(), found[0][0].compute())


def test_blobs() -> None:
    X, y, centers = learn.make_blobs(
        6000, 3, centers=4, cluster_std=0.1, random_state=0, return_centers=True, chunks=2000
    )
    assert centers.shape == (4, 3)
    assert np.bincount(y.compute()).tolist() == [1500] * 4
    assert np.abs(X.compute() - centers[y.compute()]).max() < 1
    assert learn.KMeans(4, random_state=0).fit(X).inertia_ == pytest.approx(6000 * 3 * 0.01, rel=0.1)
    in_order = learn.make_blobs(100, centers=[[0, 0], [5, 5]], shuffle=False, dtype="float32")
    assert (np.diff(in_order[1].compute()) >= 0).all()
    assert in_order[0].dtype == np.float32


def test_regression() -> None:
    X, y, coef = learn.make_regression(4000, 6, n_informative=3, bias=2.0, coef=True, random_state=0, chunks=1000)
    model = learn.LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, coef, atol=1e-8)
    assert model.intercept_ == pytest.approx(2.0)
    assert (coef != 0).sum() == 3
    assert learn.make_regression(100, 6, n_targets=2)[1].shape == (100, 2)


def test_classification() -> None:
    X, y = learn.make_classification(
        6000, 12, n_informative=6, n_classes=3, class_sep=3.0, flip_y=0, random_state=0, chunks=2000
    )
    assert learn.LogisticRegression(max_iter=300).fit(X, y).score(X, y) > 0.8
    uneven = learn.make_classification(6000, weights=[0.9], flip_y=0, random_state=0)[1].compute()
    assert np.bincount(uneven).tolist() == pytest.approx([5400, 600], abs=4)


def test_bad_input() -> None:
    refused(InvalidParameter, "n_samples: must be a whole number", lambda: learn.make_blobs(0))
    refused(InvalidParameter, "Pass only one of them", lambda: learn.make_blobs(10, chunks=5, n_parts=2))
    refused(NotSupported, "effective_rank", lambda: learn.make_regression(10, effective_rank=2))
    refused(InvalidParameter, "must sum to less", lambda: learn.make_classification(10, n_features=3))
    refused(InvalidParameter, "smaller or equal", lambda: learn.make_classification(10, n_classes=9))
    refused(
        InvalidParameter, "weights: must be 2 proportions", lambda: learn.make_classification(10, weights=[0.5, 0.7])
    )
