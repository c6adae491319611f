"""What code for cuML, Dask-ML and scikit-learn says is understood, on our cluster and on Dask's ``LocalCluster`` alike.

The snippets are in the style of these libraries' documentation.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import dask.array as da
import dask.dataframe as dd
import gpucluster
import gpucluster.learn as learn
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from distributed import Client, LocalCluster, default_client, futures_of
from gpucluster.learn.delegation import DELEGATED
from gpucluster.learn.errors import InvalidData, InvalidParameter
from gpucluster.learn.estimator import DistributedEstimator
from gpucluster.protocol.models import ClusterModel
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV

X, Y = (part[:400] for part in load_digits(return_X_y=True))
ESTIMATORS = [
    cls
    for cls in (getattr(learn, name) for name in learn.__all__)
    if inspect.isclass(cls) and issubclass(cls, DistributedEstimator)
]


@pytest.fixture(scope="module")
def ours(shared_cluster: ClusterModel) -> Iterator[Client]:
    """A client of our own cluster; not the default one."""
    with gpucluster.connect(shared_cluster.id).get_client(set_as_default=False) as client:
        yield client


@pytest.fixture
def theirs(_cluster: LocalCluster) -> Iterator[Client]:
    """A client of Dask's own cluster; not the default one."""
    with Client(_cluster, set_as_default=False) as client:
        yield client


def blobs_and_kmeans(client: Client) -> Any:
    data, _ = learn.make_blobs(2000, 4, centers=5, n_parts=4, random_state=1, client=client)
    model = learn.KMeans(
        n_clusters=5, init="k-means||", init_size=1000, device_buffer_samples=0, max_samples_per_batch=512,
        random_state=0, client=client,
    ).fit(data)  # fmt: skip
    labels = model.predict(data, delayed=False)
    assert futures_of(labels)[0].client is client
    return [model.cluster_centers_, client.compute(labels).result(), model.score(data)]


def forest(client: Client) -> Any:
    data, target = learn.make_classification(1000, 8, n_informative=4, n_parts=3, random_state=0, client=client)
    X_train, X_test, y_train, y_test = learn.train_test_split(
        data, target, test_size=0.3, stratify=target, random_state=0, client=client
    )
    model = learn.RandomForestClassifier(
        n_estimators=2, max_depth=6, n_bins=64, n_streams=1, random_state=0, client=client
    ).fit(X_train, y_train)
    predicted = model.predict(X_test, delayed=True)
    matrix = learn.confusion_matrix(y_test, predicted, client=client)
    return [model.score(X_test, y_test), learn.accuracy_score(y_test, predicted, client=client), matrix]


def neighbours(client: Client) -> Any:
    data = da.from_array(X, chunks=(150, -1))
    model = learn.NearestNeighbors(n_neighbors=4, streams_per_handle=2, batch_size=128, client=client).fit(data)
    distances, rows = model.kneighbors(data, delayed=False)
    around = model.radius_neighbors(data, 20.0, return_distance=False)
    classes = da.from_array(np.stack([Y, Y % 2], axis=1), chunks=(150, -1))
    both = learn.KNeighborsClassifier(client=client, batch_size=1024).fit(data, classes)
    found = client.gather(client.compute([distances, rows, both.predict(data), around]))
    return [*found[:-1], np.concatenate(found[-1]), [len(rows) for rows in found[-1]]]


def regression(client: Client) -> Any:
    data, target = learn.make_regression(1000, 6, random_state=0, n_parts=2, client=client)
    model = learn.Ridge(alpha=0.1, client=client).fit(data, target)
    svd = learn.TruncatedSVD(n_components=3, client=client).fit(data)
    assert svd.n_components_ == 3
    return [model.coef_, model.score(data, target), learn.r2_score(target, model.predict(data), client=client)]


def table(client: Client) -> Any:
    frame = dd.from_pandas(pd.DataFrame({"size": X[:, 20], "kind": Y.astype(str)}), npartitions=3)
    prepared = learn.ColumnTransformer(
        [
            ("size", learn.StandardScaler(client=client), ["size"]),
            ("kind", learn.OrdinalEncoder(client=client), ["kind"]),
        ]
    )
    binary = learn.LabelBinarizer(client=client)
    columns = binary.fit_transform(frame["kind"])
    return [client.compute(prepared.fit_transform(frame)).result().to_numpy(), client.compute(columns).result()]


@pytest.mark.parametrize("snippet", [blobs_and_kmeans, forest, neighbours, regression, table])
def test_on_our_cluster_and_on_dasks(ours: Client, theirs: Client, snippet: Callable[[Client], Any]) -> None:
    for found, expected in zip(snippet(ours), snippet(theirs), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_every_estimator_takes_a_client(theirs: Client, cls: type) -> None:
    estimator = cls(client=theirs)
    assert estimator._client is theirs
    assert clone(estimator)._client is theirs
    assert "client" not in estimator.get_params()
    assert "_client" not in estimator.__getstate__()
    with pytest.raises(InvalidParameter, match="client: must be a Client of Dask, not str"):
        cls(client="tcp://somewhere")


def test_a_column_transformer_takes_a_client(theirs: Client) -> None:
    """And fits those with it that were given none; a copy has it, what is saved has not."""
    seen: list[object] = []

    class Watched(learn.StandardScaler):
        def fit(self, X: Any, y: Any = None, **options: Any) -> Any:
            seen.append(default_client())
            return super().fit(X, y, **options)

    made = clone(learn.make_column_transformer((Watched(), [0, 1]), client=theirs))
    made.fit(da.from_array(X, chunks=(150, -1)))
    assert seen == [theirs]
    assert "client" not in made.get_params()
    assert "_client" not in made.__getstate__()
    with pytest.raises(InvalidParameter, match="client: must be a Client of Dask, not str"):
        learn.ColumnTransformer([("size", Watched(), [0])], client="tcp://somewhere")


def test_a_search_fits_with_the_estimators_client(theirs: Client) -> None:
    search = GridSearchCV(learn.Ridge(client=theirs), {"alpha": [0.1, 1.0]}, cv=2).fit(X, Y)
    assert search.best_estimator_._client is theirs


def test_what_only_cuml_has_is_handed_on_to_it() -> None:
    for name, entry in DELEGATED.items():
        parameters = inspect.signature(getattr(learn, name)).parameters
        assert all(parameters[own].default is None for own in entry.own), name


SPARSE = [
    "DBSCAN", "ElasticNet", "KMeans", "KNeighborsClassifier", "KNeighborsRegressor", "Lasso", "LinearRegression",
    "LogisticRegression", "MLPClassifier", "MaxAbsScaler", "MultinomialNB", "NearestNeighbors", "PCA",
    "RandomForestClassifier", "RandomForestRegressor", "Ridge", "StandardScaler", "TruncatedSVD",
]  # fmt: skip
"""Those that take sparse X in scikit-learn."""


@pytest.mark.parametrize("name", SPARSE)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sparse_rows(dask_client: Client, name: str) -> None:
    """In memory and in blocks of a Dask array: the same model and answers as of dense ones."""
    options = {
        "KMeans": {"random_state": 0}, "MLPClassifier": {"max_iter": 1, "random_state": 0}, "PCA": {"n_components": 4},
        "RandomForestClassifier": {"n_estimators": 2, "random_state": 0}, "LogisticRegression": {"max_iter": 5},
        "RandomForestRegressor": {"n_estimators": 2, "random_state": 0},
    }.get(name, {})  # fmt: skip
    blocks = da.from_array(X, chunks=(150, -1)).map_blocks(scipy.sparse.csr_array)
    labels = da.from_array(Y, chunks=150)
    dense = getattr(learn, name)(**options).fit(X, Y)
    for rows, target in ((scipy.sparse.csr_matrix(X), Y), (blocks, labels)):
        model = getattr(learn, name)(**options).fit(rows, target)
        for method in ("predict", "transform", "kneighbors"):
            if hasattr(model, method):
                found, expected = getattr(model, method)(rows), getattr(dense, method)(X)
                if method == "kneighbors":
                    found, expected = found[0], expected[0]
                np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5, atol=1e-6)
        if name == "DBSCAN":
            np.testing.assert_array_equal(np.asarray(model.labels_), dense.labels_)


def test_sparse_rows_that_are_too_many_dense_ones() -> None:
    with pytest.raises(InvalidData, match="is sparse, and as a dense table of 10,000,000 × 100,000"):
        learn.MaxAbsScaler().fit(scipy.sparse.csr_matrix((10_000_000, 100_000)))
