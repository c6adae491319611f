"""A small cluster, and data cut into blocks in awkward ways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
import sklearn
from distributed import Client, LocalCluster
from packaging.version import Version

NEWER = {
    "linear_model/test_least_squares.py::test_columns_of_very_different_sizes": ("1.7", "LinearRegression has tol"),
    "linear_model/test_logistic_regression.py::test_options[{'class_weight': 'balanced', 'weighted'": (
        "1.9", "balanced classes count weights"
    ),
    "metrics/test_metrics.py::test_weights_that_scikit_learn_refuses": ("1.9", "bad weights are refused everywhere"),
    "preprocessing/test_extremes.py::test_another_range[float32": ("1.9", "single precision is rounded as ours"),
    "preprocessing/test_extremes.py::test_new_rows_are_clipped": ("1.9", "MaxAbsScaler has clip"),
    "test_estimator_checks.py::test_arrays_of_the_array_api": ("1.9", "estimators that only say so are checked"),
}  # fmt: skip
"""Tests that compare with what scikit-learn does in newer releases only: from which one, at the latest, and what."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip comparisons with what the scikit-learn that is installed does otherwise (``make test-libraries``)."""
    for item in items:
        for name, (release, what) in NEWER.items():
            if f"tests/learn/{name}" in item.nodeid and Version(sklearn.__version__) < Version(release):
                item.add_marker(pytest.mark.skip(reason=f"scikit-learn {release}: {what}"))


_IDLE = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
"""For a cluster that lives as long as the run, mostly without work: a tenth of a processor otherwise."""


@pytest.fixture(scope="session")
def _cluster() -> Iterator[LocalCluster]:
    with dask.config.set(_IDLE):
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0")
    with cluster:
        yield cluster


@pytest.fixture
def dask_client(_cluster: LocalCluster) -> Iterator[Client]:
    """The default client, connected to two workers with one thread each."""
    with Client(_cluster) as client:
        yield client


def cut_points(n_rows: int, n_blocks: int, *, empty: bool = False) -> tuple[int, ...]:
    """Return lengths of blocks, uneven where there are three or more; the second one empty if asked for."""
    shares = np.arange(1, n_blocks + 1) if n_blocks > 2 else np.ones(n_blocks)
    ends = np.round(np.cumsum(shares) / shares.sum() * n_rows).astype(int)
    lengths = list(np.diff([0, *ends]))
    if empty:
        lengths.insert(1, 0)
    return tuple(int(length) for length in lengths)


@pytest.fixture
def split() -> Any:
    """``split(array, n_blocks, empty=False)``: a Dask array cut along its rows."""

    def cut(array: Any, n_blocks: int, *, empty: bool = False) -> Any:
        array = np.asarray(array)
        chunks = (cut_points(len(array), n_blocks, empty=empty), *[(length,) for length in array.shape[1:]])
        return da.from_array(array, chunks=chunks, name=False)

    return cut


@pytest.fixture(autouse=True)
def _no_scheduler_is_left() -> Iterator[None]:
    """Fail where a client leaves Dask's configuration pointing to a cluster that is gone."""
    import dask

    before = dask.config.get("scheduler", None)
    yield
    after = dask.config.get("scheduler", None)
    dask.config.config.pop("scheduler", None)
    assert after == before
