"""All public functions that compute: Ctrl-C leaves nothing behind, and unusable data are refused."""

import gc
import signal
import time
from asyncio import CancelledError
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import dask.array as da
import dask.dataframe as dd
import gpucluster.learn as learn
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster, wait
from gpucluster.learn.errors import ClusterStopped, InvalidData

pytestmark = pytest.mark.timeout(300)

COMPUTE_NOTHING = {
    *("Communicator", "MPICommunicator", "SerialCommunicator", "WorkerCommunicator"),
    *("config_context", "configuration", "load", "save", "make_blobs", "make_classification", "make_regression"),
}
MOST_WAITS = 40


def actions(X: Any, y: Any, words: Any) -> dict[str, Callable[[], Any]]:
    """Return calls of all public functions that compute; fitted models that they need are fitted here."""
    positive = abs(X)
    rows = np.ones((3, 2))
    # With other keys: these models keep tasks of their data, and Dask may fuse the same tasks differently.
    known, target, _ = tables(seed=1)
    neighbors = learn.NearestNeighbors(n_neighbors=2).fit(known)
    fitted = learn.KMeans(2, n_init=1, random_state=0).fit(known)
    components = learn.PCA(1).fit(known)
    regression = learn.LinearRegression().fit(known, target)
    classifier = learn.KNeighborsClassifier(n_neighbors=2).fit(known, target)
    classifier.predict(rows)
    return {
        "DBSCAN": lambda: learn.DBSCAN().fit(X),
        "DBSCAN.get_combined_model": lambda: learn.DBSCAN().fit(X).get_combined_model(),
        "KMeans": lambda: learn.KMeans(2, random_state=0).fit(X),
        "KMeans.score": lambda: fitted.score(X),
        "ColumnTransformer": lambda: learn.ColumnTransformer([("a", learn.StandardScaler(), [0])]).fit(X),
        "make_column_transformer": lambda: learn.make_column_transformer((learn.MinMaxScaler(), [1])).fit_transform(X),
        "PCA": lambda: learn.PCA(1).fit(X),
        "PCA.score": lambda: components.score(X),
        "TruncatedSVD": lambda: learn.TruncatedSVD(1).fit(X),
        "tsqr": lambda: learn.tsqr(X),
        "tssvd": lambda: learn.tssvd(X),
        "RandomForestClassifier": lambda: learn.RandomForestClassifier(4).fit(X, y),
        "RandomForestClassifier blocks": lambda: learn.RandomForestClassifier(4, tree_rows="block").fit(X, y),
        "RandomForestRegressor": lambda: learn.RandomForestRegressor(4).fit(X, y),
        "ElasticNet": lambda: learn.ElasticNet().fit(X, y),
        "Lasso": lambda: learn.Lasso().fit(X, y),
        "LinearRegression": lambda: learn.LinearRegression().fit(X, y),
        "LinearRegression.score": lambda: regression.score(X, y),
        "LogisticRegression": lambda: learn.LogisticRegression().fit(X, y),
        "Ridge": lambda: learn.Ridge().fit(X, y),
        "accuracy_score": lambda: learn.accuracy_score(y, y),
        "adjusted_rand_score": lambda: learn.adjusted_rand_score(y, y),
        "confusion_matrix": lambda: learn.confusion_matrix(y, y),
        "log_loss": lambda: learn.log_loss(y, y.astype(float)),
        "mean_absolute_error": lambda: learn.mean_absolute_error(y, y),
        "mean_squared_error": lambda: learn.mean_squared_error(y, y),
        "r2_score": lambda: learn.r2_score(y, y),
        "silhouette_score": lambda: learn.silhouette_score(X, y),
        "silhouette_score sample": lambda: learn.silhouette_score(X, y, sample_size=10, random_state=0),
        "train_test_split": lambda: learn.train_test_split(X, y, stratify=y),
        "train_test_split at random": lambda: learn.train_test_split(X)[0].compute(),
        "GaussianNB": lambda: learn.GaussianNB().fit(X, y),
        "MultinomialNB": lambda: learn.MultinomialNB().fit(positive, y),
        "KNeighborsClassifier": lambda: learn.KNeighborsClassifier().fit(X, y),
        "KNeighborsClassifier.predict": lambda: classifier.predict(rows),
        "KNeighborsRegressor": lambda: learn.KNeighborsRegressor().fit(X, y),
        "NearestNeighbors": lambda: learn.NearestNeighbors().fit(X),
        "NearestNeighbors.kneighbors": lambda: neighbors.kneighbors(rows),
        "NearestNeighbors.radius_neighbors": lambda: neighbors.radius_neighbors(rows),
        "NearestNeighbors.get_combined_model": lambda: neighbors.get_combined_model(),
        "MLPClassifier": lambda: learn.MLPClassifier((2,), max_iter=2).fit(X, y),
        "LabelBinarizer": lambda: learn.LabelBinarizer().fit(y),
        "LabelEncoder": lambda: learn.LabelEncoder().fit(words["city"] if hasattr(words, "columns") else words[:, 0]),
        "MaxAbsScaler": lambda: learn.MaxAbsScaler().fit(X),
        "MinMaxScaler": lambda: learn.MinMaxScaler().fit(X),
        "OneHotEncoder": lambda: learn.OneHotEncoder().fit(words),
        "OrdinalEncoder": lambda: learn.OrdinalEncoder().fit(words),
        "StandardScaler": lambda: learn.StandardScaler().fit(X),
        "run": lambda: learn.run(total, X),
        "run_on_ranks": lambda: learn.run_on_ranks(total, X),
    }


def total(rows: Any) -> Any:
    return rows.total(len)


async def _go_on(
    function: Any, *arguments: Any, asynchronous: Any = None, callback_timeout: Any = None, **options: Any
) -> None:
    with suppress(Exception, CancelledError):
        await function(*arguments, **options)


class Interrupted:
    """Presses Ctrl-C at one of the client's waits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.waits_left = 0
        sync = Client.sync

        def wait_or_interrupt(client: Any, function: Any, *arguments: Any, **options: Any) -> Any:
            self.waits_left -= 1
            if self.waits_left != 0:
                return sync(client, function, *arguments, **options)
            # As for a signal during the wait: the client's request continues in its event loop.
            client.loop.add_callback(_go_on, function, *arguments, **options)
            signal.raise_signal(signal.SIGINT)
            raise AssertionError("No interrupt.")

        monkeypatch.setattr(Client, "sync", wait_or_interrupt)

    def call(self, action: Callable[[], Any], *, at: int) -> BaseException | None:
        """Call, and return the exception raised by the interrupt; ``None`` if there were fewer waits."""
        self.waits_left = at
        try:
            action()
        except (KeyboardInterrupt, ClusterStopped) as error:
            return error
        finally:
            self.waits_left = 0
        return None


def test_every_public_name_is_interrupted(dask_client: Client) -> None:
    names = {name.partition(".")[0].partition(" ")[0] for name in actions(*tables())}
    assert names | COMPUTE_NOTHING == set(learn.__all__)


def tables(seed: int = 0) -> tuple[Any, Any, Any]:
    X = da.random.default_rng(seed).random((40, 2), chunks=(10, 2))
    words = dd.from_pandas(pd.DataFrame({"city": ["Oslo", "Rome", "Bonn", "Rome"] * 10}), npartitions=4)
    return X, (X[:, 0] > 0.5).astype(int), words


def persisted(array: Any) -> Any:
    kept = array.persist()
    wait(kept)
    return kept


@pytest.mark.parametrize("given", [lambda data: data, persisted], ids=["lazy", "persisted"])
@pytest.mark.full
def test_nothing_stays_on_the_cluster(
    dask_client: Client, _cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch, given: Callable[[Any], Any]
) -> None:
    interrupted = Interrupted(monkeypatch)
    kept: list[BaseException] = []
    left: dict[str, Any] = {}
    for name, action in actions(*map(given, tables())).items():
        gc.collect()
        before = _tasks(_cluster)
        for at in range(1, MOST_WAITS):
            error = interrupted.call(action, at=at)
            if error is None:
                assert at > 1, f"{name} does not wait"
                break
            kept.append(error)
            if found := _left(lambda known=before: _tasks(_cluster) - known):
                left[f"{name} at wait {at}"] = found
                before |= found
                break
    assert not left, list(left)
    assert not _left(lambda: set().union(*dask_client.run(_data).values()) - _tasks(_cluster))


def _left(find: Callable[[], set[Any]]) -> set[Any]:
    """Return what is still found after up to 10 s: messages to the scheduler and the workers take time."""
    deadline = time.monotonic() + 10
    while (found := find()) and time.monotonic() < deadline:
        time.sleep(0.002)
    return found


def _data(dask_worker: Any) -> set[Any]:
    return set(dask_worker.data)


def _tasks(cluster: LocalCluster) -> set[Any]:
    return set(cluster.scheduler.tasks)


OF_FITTED = {
    *("KNeighborsClassifier.predict", "NearestNeighbors.kneighbors", "NearestNeighbors.radius_neighbors"),
    "NearestNeighbors.get_combined_model",
}
"""Calls without data on Dask."""


def test_data_of_another_cluster_are_refused(dask_client: Client) -> None:
    with LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0") as other:
        with Client(other, set_as_default=False) as owner, owner.as_current():
            data = tuple(map(persisted, tables()))
            neighbors = learn.NearestNeighbors(n_neighbors=2).fit(data[0])
            with dask_client.as_current():
                for name, action in actions(*data).items():
                    if name not in OF_FITTED:
                        with pytest.raises(InvalidData, match="on a different cluster"):
                            action()
                            pytest.fail(name)
                with pytest.raises(InvalidData, match="on a different cluster"):
                    neighbors.kneighbors(np.ones((3, 2)))


def test_masked_arrays_are_refused(dask_client: Client) -> None:
    X, y, _ = tables()
    masked = da.ma.masked_greater(X, 0.5), da.ma.masked_equal(y, 1), da.ma.masked_equal(X, 1)
    for name, action in actions(*masked).items():
        if name not in OF_FITTED:
            with pytest.raises(InvalidData, match="masked arrays are not supported"):
                action()
                pytest.fail(name)
