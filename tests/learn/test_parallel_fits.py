"""Every estimator under every backend of joblib and inside tasks of Dask gives the same model, without deadlocks."""

import pickle
from collections.abc import Iterator
from typing import Any

import cloudpickle
import dask.array as da
import gpucluster.learn as learn
import joblib
import numpy as np
import pytest
from distributed import Client, get_client, secede, wait, worker_client
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline

from tests.learn.shared import ESTIMATORS

pytestmark = [pytest.mark.timeout(400), pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")]

PATIENCE_SECONDS = 150.0
X, Y = load_iris(return_X_y=True)
OPTIONS: dict[str, dict[str, Any]] = {
    "KMeans": {"n_clusters": 3, "random_state": 0},
    "MLPClassifier": {"max_iter": 3, "random_state": 0},
    "RandomForestClassifier": {"n_estimators": 3, "random_state": 0},
    "RandomForestRegressor": {"n_estimators": 3, "random_state": 0},
}
SORTED = (50, 50, 50)
"""Blocks with one class each."""
OF_LABELS = {"LabelBinarizer", "LabelEncoder"}
GRIDS: dict[str, dict[str, list[Any]]] = {"RandomForestClassifier": {"max_depth": [2, 4]}}


def estimators() -> dict[str, Any]:
    return {name: cls(**OPTIONS.get(name, {})) for name, cls in ESTIMATORS.items()}


def fitted(estimator: Any, lazy: bool, sizes: tuple[int, ...] = SORTED) -> Any:
    """Fit a copy of an estimator, pickle and unpickle it, and return its answer for the data."""
    rows, labels = (da.from_array(X, chunks=(sizes, -1)), da.from_array(Y, chunks=(sizes,))) if lazy else (X, Y)
    model = clone(estimator)
    if type(model).__name__ in OF_LABELS:
        return np.asarray(model.fit(labels).transform(labels))
    model.fit(rows, labels)
    if hasattr(model, "fit_predict") and not hasattr(model, "predict"):
        return np.asarray(model.labels_)
    if not lazy or not model._not_saved_because:
        model = cloudpickle.loads(pickle.dumps(pickle.loads(cloudpickle.dumps(model))))
    method = next(getattr(model, name) for name in ("predict", "transform", "kneighbors") if hasattr(model, name))
    answer = method(rows)
    answer = answer[0] if isinstance(answer, tuple) else answer
    return np.asarray(answer.toarray() if hasattr(answer, "toarray") else answer)


Cases = list[tuple[str, bool]]
HERE: Cases = [(name, False) for name in estimators()]
ALL: Cases = HERE + [(name, True) for name in estimators()]


@pytest.fixture(scope="module")
def alone() -> dict[tuple[str, bool], Any]:
    """Return the answers of estimators that are fitted here, one after the other."""
    return {(name, lazy): fitted(estimators()[name], lazy) for name, lazy in ALL}


@pytest.fixture
def client(dask_client: Client, wait_until: Any) -> Iterator[Client]:
    """A client; its workers are restarted if a test leaves threads that wait forever."""
    yield dask_client
    try:
        wait_until(lambda: not any(dask_client.processing().values()), timeout=20)
    except AssertionError:
        dask_client.restart()


def expect_same(cases: Cases, found: Any, alone: dict[tuple[str, bool], Any]) -> None:
    for case, answer in zip(cases, found, strict=True):
        # Sums of blocks in another order differ in their last digits, and so may signs of components.
        np.testing.assert_allclose(np.abs(answer), np.abs(alone[case]), rtol=1e-6, atol=1e-6, err_msg=str(case))


@pytest.mark.parametrize("sizes", [SORTED, (1, 0, 60, 2, 87)])
def test_any_blocks_give_the_same(client: Client, alone: dict[Any, Any], sizes: tuple[int, ...]) -> None:
    expect_same(HERE, [fitted(estimators()[name], True, sizes) for name, _ in HERE], alone)


@pytest.mark.parametrize(
    ("backend", "cases"), [("sequential", HERE), ("threading", ALL), ("loky", HERE), ("dask", ALL)]
)
@pytest.mark.full
def test_every_estimator_under_every_backend(client: Client, alone: dict[Any, Any], backend: str, cases: Cases) -> None:
    patience = None if backend == "sequential" else PATIENCE_SECONDS  # which has no timeout
    with joblib.parallel_config(backend):
        found = joblib.Parallel(n_jobs=2, timeout=patience)(
            joblib.delayed(fitted)(estimators()[name], lazy) for name, lazy in cases
        )
    expect_same(cases, found, alone)


def test_every_estimator_inside_tasks(client: Client, alone: dict[Any, Any]) -> None:
    """There are many more than threads, and all of them wait for tasks that they submit."""
    names, lazy = zip(*ALL, strict=True)
    futures = client.map(fitted, [estimators()[name] for name in names], lazy, pure=False)
    wait(futures, timeout=PATIENCE_SECONDS)
    expect_same(ALL, client.gather(futures), alone)


def _within_worker_client(estimator: Any) -> Any:
    with worker_client():
        return fitted(estimator, True)


def _after_secede(estimator: Any) -> Any:
    get_client()
    secede()
    return fitted(estimator, True)


@pytest.mark.parametrize("inside", [_within_worker_client, _after_secede])
def test_tasks_that_have_seceded(client: Client, alone: dict[Any, Any], inside: Any) -> None:
    futures = client.map(inside, [estimators()["KMeans"]] * 5, pure=False)
    wait(futures, timeout=PATIENCE_SECONDS)
    for answer in client.gather(futures):
        np.testing.assert_array_equal(answer, alone["KMeans", True])


def one(model: Any, rows: Any, labels: Any) -> float:
    """Score for models without a score."""
    return 1.0


def search_over(name: str, estimator: Any) -> Any:
    grid = GRIDS.get(name) or {key: [value] for key, value in list(estimator.get_params().items())[:1]}
    steps = Pipeline([("scaled", learn.StandardScaler(with_mean=False)), ("model", estimator)])
    scoring = None if hasattr(estimator, "score") else one
    return GridSearchCV(steps, {f"model__{key}": values for key, values in grid.items()}, cv=2, scoring=scoring)


@pytest.mark.full
@pytest.mark.parametrize("backend", ["threading", "loky", "dask"])
def test_searches_in_pipelines(client: Client, backend: str) -> None:
    """A search for forests under Dask once never returned: a class of trees could not be sent to a worker."""
    searches = {name: search_over(name, each) for name, each in estimators().items() if name not in OF_LABELS}
    expected = {name: clone(search).fit(X, Y).cv_results_["mean_test_score"] for name, search in searches.items()}
    with joblib.parallel_config(backend):
        found = {name: search.set_params(n_jobs=2).fit(X, Y) for name, search in searches.items()}
        scores = cross_val_score(estimators()["RandomForestClassifier"], X, Y, cv=2, n_jobs=2)
    for name, search in found.items():
        np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected[name], rtol=1e-6, err_msg=name)
    np.testing.assert_allclose(scores, cross_val_score(estimators()["RandomForestClassifier"], X, Y, cv=2))
