"""The comparisons for a GPU pass on the CPU and detect a wrong model."""

from collections.abc import Iterator
from typing import Any

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

from benchmarks.gpu.estimators import FITS

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def dask_client() -> Iterator[Client]:
    """Two workers with the default client."""
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster:
        with Client(cluster) as client:
            yield client


@pytest.fixture(params=FITS)
def fit(request: pytest.FixtureRequest) -> Any:
    return FITS[request.param]


def test_the_cpu_agrees_with_scikit_learn(fit: Any, dask_client: Any) -> None:
    X, y = (da.from_array(array, chunks=(-(-len(array) // 3), *array.shape[1:])) for array in fit.data())
    model = fit.fitted(X, y)
    assert fit.differing(model, X, y) == {}


@pytest.mark.filterwarnings("ignore:lbfgs did not converge")
def test_another_model_differs(fit: Any) -> None:
    rows, target = fit.data()
    rng = np.random.default_rng(0)
    wrong = fit.fitted(rng.permuted(rows, axis=0).astype(rows.dtype) + 1, rng.permutation(target))
    assert fit.differing(wrong, rows, target) != {}
