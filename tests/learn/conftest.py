"""A small cluster, and data cut into blocks in awkward ways."""

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
    "linear_model/test_least_squares.py::test_columns_of_different_scale_or_nearly_equal": (
        "1.7", "LinearRegression has tol"
    ),
    "linear_model/test_logistic_regression.py::test_options[{'class_weight': 'balanced', 'weighted'": (
        "1.7", "balanced classes count weights"
    ),
    "metrics/test_metrics.py::test_weights_that_scikit_learn_refuses": ("1.8", "bad weights are refused everywhere"),
    "metrics/test_metrics.py::test_weights_that_scikit_learn_refuses[<lambda>-sample_weight: must contain": (
        "1.9", "weights of 0 are refused"
    ),
    "metrics/test_targets.py::test_pairs_of_labels_like_scikit_learn[accuracy_": ("1.9", "other labels are refused"),
    "metrics/test_targets.py::test_pairs_of_labels_like_scikit_learn[confusion_": ("1.7", "other labels are refused"),
    "metrics/test_targets.py::test_classifiers_like_scikit_learn[": ("1.9", "other labels are refused"),
    "preprocessing/test_scalers.py::test_another_range[float32": ("1.7", "single precision is rounded as ours"),
    "preprocessing/test_scalers.py::test_new_rows_are_clipped_with_clip[MinMaxScaler": (
        "1.7", "single precision is rounded as ours"
    ),
    "preprocessing/test_scalers.py::test_new_rows_are_clipped_with_clip[MaxAbsScaler": ("1.8", "MaxAbsScaler has clip"),
    "test_persistence.py::test_scikit_learns_models_give_the_same[MaxAbsScaler": ("1.8", "MaxAbsScaler has clip"),
    "test_estimator_checks.py::test_arrays_of_the_array_api_are_accepted": (
        "1.9", "estimators that only say so are checked"
    ),
}  # fmt: skip
"""Tests that compare with the behaviour of newer scikit-learn releases: the first such release, and the behaviour."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip comparisons that need a newer scikit-learn than the installed one (``make test-libraries``)."""
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
"""For the cluster of the whole test run, which is mostly idle: the defaults cost a tenth of a processor."""


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


@pytest.fixture
def own_client() -> Iterator[Client]:
    """The default client, connected to two workers that the test may kill."""
    local = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0")
    with local as cluster, Client(cluster) as client:
        yield client


@pytest.fixture
def in_process() -> Iterator[None]:
    """Let Dask compute in threads of this process where a test does not use a cluster."""
    with dask.config.set(scheduler="threads"):
        yield


def cut_points(n_rows: int, n_blocks: int, *, empty: bool = False) -> tuple[int, ...]:
    """Return lengths of blocks, uneven where there are three or more; with ``empty``, the second one is 0."""
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
    """Fail where a client leaves Dask's configuration pointing to a closed cluster."""
    before = dask.config.get("scheduler", None)
    yield
    after = dask.config.get("scheduler", None)
    dask.config.config.pop("scheduler", None)
    assert after == before
