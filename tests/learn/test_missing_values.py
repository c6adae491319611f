"""Missing or infinite values in rows and weights are an error, as in scikit-learn."""

from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
from gpucluster import learn
from gpucluster.learn.errors import InvalidData

X = np.random.default_rng(0).random((60, 3))
Y = np.arange(60) % 2
MODELS = [
    learn.GaussianNB(), learn.KMeans(2, random_state=0), learn.LinearRegression(), learn.LogisticRegression(),
    learn.MultinomialNB(), learn.PCA(2),
    learn.RandomForestClassifier(4, random_state=0, monotonic_cst=[1, 0, 0]),
]  # fmt: skip


def _answer(model: Any, data: Any) -> Any:
    return (model.predict if hasattr(model, "predict") else model.transform)(data)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nan_and_infinity_are_refused(model: Any, value: float) -> None:
    model.fit(X, Y)
    bad = X.copy()
    bad[45, 1] = value
    with pytest.raises(InvalidData, match="X: contains NaN or infinity"):
        _answer(model, da.from_array(bad, chunks=(20, -1))).compute()
    frame = pd.DataFrame(X, columns=list("abc"))
    model.fit(frame, Y)
    with pytest.raises(InvalidData, match="X: contains NaN or infinity"):
        _answer(model, dd.from_pandas(frame.assign(b=bad[:, 1]), npartitions=3)).compute()


@pytest.mark.parametrize(
    ("mine", "other"),
    [
        (learn.RandomForestClassifier, sklearn.ensemble.RandomForestClassifier),
        (learn.RandomForestRegressor, sklearn.ensemble.RandomForestRegressor),
    ],
)
def test_forests_take_missing_values(mine: Any, other: Any, tmp_path: Path) -> None:
    holes = np.where(np.random.default_rng(1).random(X.shape) < 0.2, np.nan, X)
    lazy = da.from_array(holes, chunks=(20, -1))
    expected = other(5, random_state=0).fit(holes, Y).predict(holes)
    for data, labels in ((lazy, da.from_array(Y, chunks=20)), (holes, Y)):
        forest = mine(5, random_state=0).fit(data, labels)
        learn.save(forest, tmp_path / "forest")
        for fitted in (forest, learn.load(tmp_path / "forest")):
            np.testing.assert_array_equal(fitted.predict(lazy).compute(), expected)
    on_blocks = mine(6, random_state=0, tree_rows="block").fit(lazy, da.from_array(Y, chunks=20))
    assert np.isfinite(on_blocks.predict(lazy).compute()).all()
    with pytest.raises(InvalidData, match="X: contains infinity"):
        mine(3).fit(da.where(lazy > 0.9, np.inf, lazy), Y)


@pytest.mark.parametrize(
    "model", [learn.DBSCAN(), learn.KMeans(2), learn.MLPClassifier(max_iter=1), learn.StandardScaler()], ids=str
)
@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0])
def test_weights_are_finite_and_not_all_zero(model: Any, value: float) -> None:
    weights = np.where(np.arange(60) == 45, value, float(value != 0))
    cut = da.from_array(X, chunks=(20, -1)), da.from_array(Y, chunks=20), da.from_array(weights, chunks=20)
    for data in ((X, Y, weights), cut):
        with pytest.raises(ValueError, match="(?i)sample.weight"):
            model.fit(*data[:2], sample_weight=data[2])


def test_weights_of_twenty_clusters_are_finite() -> None:
    cut = da.from_array(X, chunks=(20, -1))
    with pytest.raises(InvalidData, match="sample_weight: must be finite numbers"):
        learn.KMeans(2, random_state=0).fit(cut).score(cut, sample_weight=da.full(60, np.nan, chunks=20))


def test_large_numbers_are_not_infinite() -> None:
    large = np.full((4, 3), 1e308)
    model = learn.KMeans(1).fit(X)
    assert (model.predict(da.from_array(large, chunks=(2, -1))).compute() == 0).all()


def test_scaling_keeps_missing_values() -> None:
    holes = X.copy()
    holes[7, 2] = np.nan
    data = da.from_array(holes, chunks=(20, -1))
    scaled = learn.StandardScaler().fit(data).transform(data).compute()
    assert np.flatnonzero(np.isnan(scaled).any(axis=1)).tolist() == [7]
    holes[7, 2] = np.inf
    with pytest.raises(InvalidData, match="X: contains infinity"):
        learn.StandardScaler().fit(X).transform(da.from_array(holes, chunks=(20, -1))).compute()


WEIGHTED = [
    lambda X, w: learn.KMeans(2, init=X[:2].compute(), n_init=1).fit(X).score(X, sample_weight=w),
    lambda X, w: learn.KMeans(2).fit(X, sample_weight=w),
    lambda X, w: learn.DBSCAN().fit(X, sample_weight=w),
    lambda X, w: learn.StandardScaler().fit(X, sample_weight=w),
    lambda X, w: learn.StandardScaler().partial_fit(X, sample_weight=w),
    lambda X, w: learn.LinearRegression().fit(X, Y, sample_weight=w),
    lambda X, w: learn.LogisticRegression().fit(X, Y, sample_weight=w),
    lambda X, w: learn.GaussianNB().fit(X, Y, sample_weight=w),
    lambda X, w: learn.MLPClassifier(max_iter=1).fit(X, Y, sample_weight=w),
]


@pytest.mark.full
@pytest.mark.parametrize(
    "weights",
    [
        np.where(Y, 1.0, np.nan), np.where(Y, 1.0, np.inf), np.zeros(60), np.full(60, "a"),
        np.full(60, "a", dtype=object), np.ones((60, 1)), np.ones(60) * 1j,
    ],
    ids=["NaN", "infinity", "zero", "words", "objects", "a column", "complex"],
)  # fmt: skip
@pytest.mark.parametrize("use", WEIGHTED)
def test_weights_are_refused(use: Any, weights: Any) -> None:
    with pytest.raises(InvalidData, match="^sample_weight: "):
        use(da.from_array(X, chunks=(25, 3)), da.from_array(weights, chunks=25))


def test_weights_may_be_objects_that_are_numbers() -> None:
    weights = np.arange(60.0)
    ours = learn.StandardScaler().fit(da.from_array(X, chunks=(25, 3)), sample_weight=weights.astype(object))
    np.testing.assert_allclose(ours.mean_, np.average(X, axis=0, weights=weights))
