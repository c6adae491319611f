"""Parameters and data that estimators refuse, each with the beginning of the message that says what to do instead."""

from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from gpucluster.learn import (
    DBSCAN,
    PCA,
    ElasticNet,
    GaussianNB,
    KMeans,
    KNeighborsClassifier,
    KNeighborsRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    MaxAbsScaler,
    MinMaxScaler,
    MLPClassifier,
    MultinomialNB,
    NearestNeighbors,
    OneHotEncoder,
    OrdinalEncoder,
    RandomForestClassifier,
    RandomForestRegressor,
    Ridge,
    StandardScaler,
    TruncatedSVD,
)
from gpucluster.learn.errors import InvalidData, InvalidParameter, NotSupported
from sklearn.datasets import load_digits

from tests.learn.shared import refused

pytestmark = pytest.mark.usefixtures("in_process")


def in_blocks(values: Any) -> Any:
    return da.from_array(values, chunks=(-(-len(values) // 3) or 1, *values.shape[1:]), name=False)


def with_value(value: float) -> Any:
    changed = DIGITS.copy()
    changed[1000, 3] = value
    return in_blocks(changed)


DIGITS, NUMBERS = load_digits(return_X_y=True)
X, Y = in_blocks(DIGITS), in_blocks(NUMBERS)
NAN, INFINITE, EMPTY = with_value(np.nan), with_value(np.inf), in_blocks(DIGITS[:0])
WITH_INFINITY = [
    in_blocks(np.array([[others], [value], [others]])) for others in (1.0, np.nan) for value in (-np.inf, np.inf)
]
WITHOUT_SOME = in_blocks(np.where(NUMBERS, 1.0, np.nan))
WORDS = in_blocks(NUMBERS.astype(str))
FRAME = pd.DataFrame({"x": [1.0, 2.0, 3.0], "word": ["a", None, "b"]})

PARAMETERS: list[tuple[Any, str]] = [
    *((KMeans(wrong), "n_clusters") for wrong in (0, 2.5)),
    (KMeans(init="kmeans"), r"k-means\|\|"),
    (KMeans(init=np.zeros((3, 3))), "does not match"),
    (KMeans(init=np.full((8, 64), np.nan)), "NaN"),
    (KMeans(n_init=0), "n_init"),
    (KMeans(max_iter=0), "max_iter"),
    (KMeans(tol=-1), "tol"),
    (KMeans(algorithm="fast"), "algorithm"),
    (KMeans(oversampling_factor=0), "oversampling_factor"),
    (DBSCAN(eps=0), "eps"),
    (DBSCAN(min_samples=0), "min_samples"),
    (DBSCAN(algorithm="tree"), "kd_tree"),
    (PCA(svd_solver="banana"), "exactly and in one pass"),
    *((PCA(wrong), "n_components: must be") for wrong in (0, 1.5, "all")),
    (PCA(65), r"min\(n_samples, n_features\)=64"),
    (TruncatedSVD(algorithm="qr"), "'randomized' or 'arpack'"),
    *((TruncatedSVD(wrong), "whole number") for wrong in (0, 1.5, None, True)),
    (TruncatedSVD(65), r"n_components\(65\)"),
    *((RandomForestClassifier(wrong), "n_estimators: must be") for wrong in (0, "many")),
    (RandomForestClassifier(2, tree_rows="some"), "tree_rows: must be 'all' or 'block'"),
    (RandomForestClassifier(5, class_weight={11: 1}), "no rows of the classes"),
    (LinearRegression(tol=-1), "tol: must be a number of at least 0"),
    (LinearRegression(fit_intercept="no"), "fit_intercept: must be True or False"),
    (Ridge(-1), "alpha: must be a number of at least 0"),
    (Ridge([1, 2]), "alpha: has 2 numbers, but there are 1 targets"),
    (Ridge(solver="sag"), "computed exactly"),
    (Lasso(-1), "alpha: must be a number of at least 0"),
    (Lasso(selection="greedy"), "selection: must be"),
    (ElasticNet(l1_ratio=2), "l1_ratio: must be a number from 0 to 1"),
    (ElasticNet(precompute=np.eye(10)), "precompute: a precomputed Gram matrix"),
    (LogisticRegression(solver="saga"), "must be 'lbfgs'"),
    (LogisticRegression(penalty="l1"), "squared coefficients"),
    (LogisticRegression(l1_ratio=0.5), "squared coefficients"),
    (LogisticRegression(dual=True), "dual: must be False"),
    (LogisticRegression(C=0), "C: must be a number above 0"),
    (LogisticRegression(tol="small"), "tol: must be a number above 0"),
    (LogisticRegression(max_iter=2.5), "max_iter: must be a whole number"),
    (LogisticRegression(class_weight="heavy"), "class_weight: must be"),
    (LogisticRegression(class_weight={77: 1.0}), "77 is not a class of y"),
    (GaussianNB(priors=np.ones(10)), "priors: must sum to 1"),
    (GaussianNB(priors=[0.5, 0.5]), "priors: must have 10 values"),
    (GaussianNB(priors="equal"), "priors: must be numbers"),
    *((GaussianNB(var_smoothing=wrong), "var_smoothing: must be") for wrong in (-1, "much")),
    *((MultinomialNB(alpha=wrong), "alpha: must") for wrong in (-1, "much")),
    (NearestNeighbors(metric="far"), "metric"),
    (NearestNeighbors(metric="cosine", algorithm="kd_tree"), "cosine"),
    (NearestNeighbors(p="two"), "p: must be"),
    *((NearestNeighbors(radius=wrong), "radius: must be a number above 0") for wrong in (0, "far")),
    (KNeighborsClassifier(weights="much"), "weights"),
    (MLPClassifier(activation="tanh"), "activation: must be 'relu'"),
    (MLPClassifier(solver="lbfgs"), "solver: must be 'adam' or 'sgd'"),
    (MLPClassifier(hidden_layer_sizes=(0,)), "hidden_layer_sizes: must be positive whole numbers"),
    (MLPClassifier(batch_size=0), "batch_size: must be 'auto' or a whole number of 1 or more"),
    (MLPClassifier(alpha=-1), "alpha: must be a number of at least 0"),
    (MLPClassifier(max_iter=0), "max_iter: must be a whole number of 1 or more"),
    (StandardScaler(with_mean="yes"), "with_mean: must be True or False"),
    (MinMaxScaler(clip="yes"), "clip: must be True or False"),
    (MaxAbsScaler(clip="yes"), "clip: must be True or False"),
    *(
        (MinMaxScaler(wrong), "feature_range: must be a tuple of two numbers, the smaller one first")
        for wrong in ((1, 0), (1, 1), [0, 1], (0, 1, 2), (0,), 1, "01", ("0", "1"), None, (0, np.nan), (-np.inf, 1))
    ),
    (OneHotEncoder(min_frequency=1.5), "min_frequency"),
    (OneHotEncoder(max_categories=0), "max_categories"),
    (OneHotEncoder(categories=3), "categories: must be"),
    (OneHotEncoder(drop="last"), "drop"),
    (OrdinalEncoder(handle_unknown="drop"), "handle_unknown"),
]


@pytest.mark.parametrize(("estimator", "message"), PARAMETERS)
def test_wrong_parameters(estimator: Any, message: str) -> None:
    refused(InvalidParameter, message, lambda: estimator.fit(X, Y))


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (KMeans(algorithm="elkan"), "lloyd"), (KMeans(verbose=1), "dashboard"),
        (KMeans(init=lambda X, k, random_state: X[:k]), "callable"), (DBSCAN(metric="precomputed"), "metric"),
        (DBSCAN(n_jobs=2), "workers"), (RandomForestClassifier(5, oob_score=True), "oob_score"),
        (OneHotEncoder(sparse_output=True), "sparse_output"),
    ],
)  # fmt: skip
def test_parameters_that_are_not_supported(estimator: Any, message: str) -> None:
    refused(NotSupported, message, lambda: estimator.fit(X, Y))


DATA: list[tuple[Any, ...]] = [
    *((KMeans(8, init=init, tol=tol), "missing values", NAN)
      for init in ("k-means++", "k-means||", "random", DIGITS[:8]) for tol in (1e-4, 0)),
    (KMeans(8), "n_samples=3 should be >= n_clusters=8", X[:3]),
    (KMeans(8), "sample_weight", X, None, -np.ones(len(DIGITS))),
    (KMeans(8), "rechunk", X.rechunk((1000, 20))),
    (DBSCAN(), "missing values", NAN),
    *((PCA(2), r"X: contains NaN, infinity .* dropna", wrong) for wrong in (NAN, INFINITE)),
    (PCA(), "chunked along its columns", X.rechunk((100, 10))),
    (PCA(), "1 sample", X[:1]),
    (PCA(), "30,000 columns", da.zeros((10, 30_000))),
    (TruncatedSVD(), "X: contains NaN", NAN),
    (RandomForestClassifier(5), "X: contains infinity", INFINITE, Y),
    (RandomForestClassifier(5), "continuous", X, Y / 3),
    (RandomForestRegressor(5), "y: contains NaN", X, WITHOUT_SOME),
    (RandomForestRegressor(5), "y: must be numbers", X, WORDS),
    (Ridge(), "30,000 columns", da.zeros((10, 30_000)), da.zeros(10)),
    (LogisticRegression(), "X: contains NaN", NAN, Y),
    (LogisticRegression(), "y: labels are missing, NaN or infinite", X, WITHOUT_SOME),
    (LogisticRegression(), "continuous", X, Y / 3),
    (LogisticRegression(), "only one class", X, Y * 0),
    (LogisticRegression(), "sample_weight: must be", X, Y, -np.ones(len(DIGITS))),
    (LogisticRegression(), "target y is None", X, None),
    *((kind(), "X: contains NaN or infinity", wrong, Y) for kind in (GaussianNB, MultinomialNB)
      for wrong in (NAN, INFINITE)),
    (MultinomialNB(), "Negative values", X - 1, Y),
    (GaussianNB(), "0 row", EMPTY, in_blocks(NUMBERS[:0])),
    (GaussianNB(), "y: labels are missing, NaN or infinite", X, WITHOUT_SOME),
    (GaussianNB(), "y: labels are missing", *(dd.from_pandas(FRAME[name], npartitions=2) for name in (["x"], "word"))),
    (GaussianNB(), "continuous", X, Y / 2),
    (GaussianNB(), "1,796 rows", X, Y[1:]),
    *((kind(), "sample_weight: the weights of each class", X, Y, np.r_[first, np.ones(len(DIGITS) - 1)])
      for kind in (GaussianNB, MultinomialNB) for first in (np.nan, np.inf, -1e6)),
    *((kind(), "sample_weight: the weights of each class", X, Y, np.zeros(len(DIGITS)))
      for kind in (GaussianNB, MultinomialNB)),
    (NearestNeighbors(), "X: contains NaN", NAN),
    (NearestNeighbors(), "along its columns", X.rechunk((500, 10))),
    (KNeighborsClassifier(), "continuous", X, Y + 0.5),
    (KNeighborsRegressor(), "y: contains NaN", X, WITHOUT_SOME),
    (KNeighborsRegressor(), "y: must be numbers", X, WORDS),
    (MLPClassifier(), "NaN", NAN, Y),
    (StandardScaler(), "infinity", INFINITE),
    (StandardScaler(), "sample_weight: has 5 rows", X, None, np.ones(5)),
    *((kind(), r"0 row\(s\)", EMPTY) for kind in (StandardScaler, MinMaxScaler, MaxAbsScaler)),
    *((MinMaxScaler(), "contains infinity", column) for column in WITH_INFINITY),
    (MinMaxScaler(), "range is too large for float64", in_blocks(np.array([[-1e308], [1e308]]))),
    (OneHotEncoder(), "2 dimensions", WORDS),
    (OneHotEncoder(), "along its columns", da.zeros((4, 4), chunks=2)),
    (OneHotEncoder(), "0 row", EMPTY),
]  # fmt: skip


@pytest.mark.parametrize(("estimator", "message", "data"), [(first, second, data) for first, second, *data in DATA])
def test_wrong_data(estimator: Any, message: str, data: list[Any]) -> None:
    refused(InvalidData, message, lambda: estimator.fit(*data))


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("expecting 64 features", lambda: PCA(2).fit(DIGITS).transform(X[:, :5])),
        ("expecting 2 features", lambda: PCA(2).fit(DIGITS).inverse_transform(X)),
        ("expecting 64 features", lambda: KMeans(8, random_state=0).fit(DIGITS).predict(X[:, :3])),
        ("expecting 64 features", lambda: LogisticRegression(tol=1.0).fit(DIGITS, NUMBERS).predict(X[:, :3])),
        ("n_samples_fit = 3", lambda: NearestNeighbors().fit(X[:3]).kneighbors(DIGITS)),
        ("64", lambda: NearestNeighbors().fit(X).kneighbors(X[:, :10])),
        *(
            ("contains infinity", lambda column=column: MinMaxScaler().fit(np.eye(1)).transform(column).compute())
            for column in WITH_INFINITY
        ),
    ],
)
def test_wrong_data_after_the_fit(message: str, call: Any) -> None:
    refused(InvalidData, message, call)
