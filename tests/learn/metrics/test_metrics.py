"""Metrics against scikit-learn's, for several partitionings."""

import warnings
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from gpucluster.learn import metrics
from gpucluster.learn.errors import InvalidData, InvalidParameter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from tests.learn.shared import refused

DIGITS, LABELS = load_digits(return_X_y=True)
DRAW = np.random.default_rng(3)
TRUE = DRAW.integers(0, 5, 600)
PREDICTED = np.where(DRAW.random(600) < 0.7, TRUE, DRAW.integers(0, 6, 600))
WEIGHTS = DRAW.random(600)
MEASURED = DRAW.normal(1e3, 1, (600, 2))
ESTIMATED = MEASURED + DRAW.normal(0, 0.5, (600, 2))
PROBABILITIES = DRAW.dirichlet(np.ones(5), 600)
PARTITIONINGS = [(1, False), (2, False), (3, True), (7, True)]
WEIGHTED = [(1, False, True), (2, False, False), (3, True, True), (3, False, False), (7, True, False), (7, False, True)]


@pytest.mark.parametrize(("n_blocks", "empty", "weighted"), WEIGHTED)
def test_like_scikit_learn(dask_client: Any, split: Any, n_blocks: int, empty: bool, weighted: bool) -> None:
    def cut(array: Any) -> Any:
        return split(array, n_blocks, empty=empty)

    mine = {"sample_weight": cut(WEIGHTS)} if weighted else {}
    theirs = {"sample_weight": WEIGHTS} if weighted else {}
    for name, true, predicted, options in [
        ("accuracy_score", TRUE, PREDICTED, {}),
        ("accuracy_score", TRUE, PREDICTED, {"normalize": False}),
        ("confusion_matrix", TRUE, PREDICTED, {}),
        ("confusion_matrix", TRUE, PREDICTED, {"labels": [3, 1, 9], "normalize": "true"}),
        ("confusion_matrix", TRUE, PREDICTED, {"normalize": "all"}),
        ("log_loss", TRUE, PROBABILITIES, {}),
        ("log_loss", TRUE > 2, PROBABILITIES[:, 0], {}),
        ("mean_squared_error", MEASURED, ESTIMATED, {}),
        ("mean_squared_error", MEASURED, ESTIMATED, {"multioutput": "raw_values"}),
        ("mean_absolute_error", MEASURED[:, 0], ESTIMATED[:, 0], {}),
        ("r2_score", MEASURED, ESTIMATED, {}),
        ("r2_score", MEASURED, ESTIMATED, {"multioutput": "variance_weighted"}),
        ("r2_score", MEASURED, ESTIMATED, {"multioutput": [0.3, 0.7]}),
    ]:
        expected = getattr(sklearn.metrics, name)(true, predicted, **options, **theirs)
        for second in (cut(predicted), predicted)[: 2 if n_blocks == 2 else 1]:
            found = getattr(metrics, name)(cut(true), second, **options, **mine)
            np.testing.assert_allclose(found, expected, rtol=1e-9, err_msg=f"{name} {options}")
            assert np.asarray(found).dtype == np.asarray(expected).dtype


@pytest.mark.full
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda weights: np.where(np.arange(600) == 7, np.nan, weights), "sample_weight: contains NaN or infinity"),
        (lambda weights: np.where(np.arange(600) == 7, np.inf, weights), "sample_weight: contains NaN or infinity"),
        (lambda weights: weights * 0, "sample_weight: must contain at least one non-zero number"),
        (lambda weights: weights[:, None], "sample_weight: must (be 1D|have 1 dimension)"),
    ],
)
def test_weights_that_scikit_learn_refuses(dask_client: Any, split: Any, change: Any, message: str) -> None:
    weights = change(WEIGHTS)
    for name, true, predicted, options in [
        ("accuracy_score", TRUE, PREDICTED, {}),
        ("confusion_matrix", TRUE, PREDICTED, {}),
        ("confusion_matrix", TRUE, PREDICTED, {"normalize": "true"}),
        ("log_loss", TRUE, PROBABILITIES, {}),
        ("mean_squared_error", MEASURED, ESTIMATED, {}),
        ("mean_absolute_error", MEASURED, ESTIMATED, {}),
        ("r2_score", MEASURED, ESTIMATED, {}),
    ]:
        with pytest.raises(ValueError, match="ample.weight"):
            getattr(sklearn.metrics, name)(true, predicted, sample_weight=weights, **options)
        with pytest.raises(InvalidData, match=message):
            getattr(metrics, name)(split(true, 2, empty=True), predicted, sample_weight=split(weights, 2), **options)
    refused(InvalidData, message, lambda: metrics.accuracy_score(TRUE, PREDICTED, sample_weight=split(weights, 2)))


def test_blocks_without_weight_count_as_rows(dask_client: Any, split: Any) -> None:
    truth, weights = np.array([1.0, 2, 3, 4, 5]), np.array([0.0, 0, 0, 0, 2])
    expected = sklearn.metrics.r2_score(truth, truth + 1, sample_weight=weights)
    assert metrics.r2_score(split(truth, 3), truth + 1, sample_weight=split(weights, 3)) == expected


@pytest.mark.full
@pytest.mark.parametrize(("n_blocks", "empty"), PARTITIONINGS)
def test_clusterings_like_scikit_learn(dask_client: Any, split: Any, n_blocks: int, empty: bool) -> None:
    X, labels = DIGITS[:300], LABELS[:300] % 4
    parts = split(X, n_blocks, empty=empty), split(labels, n_blocks, empty=empty)
    for metric in ("euclidean", "manhattan"):
        expected = sklearn.metrics.silhouette_score(X, labels, metric=metric)
        assert metrics.silhouette_score(*parts, metric=metric) == pytest.approx(expected, rel=1e-9)
    sampled = {"sample_size": 100, "random_state": 5}
    expected = sklearn.metrics.silhouette_score(X, labels, **sampled)
    assert metrics.silhouette_score(*parts, **sampled) == pytest.approx(expected, rel=1e-12)
    others = split(PREDICTED[:300], n_blocks, empty=empty)
    expected = sklearn.metrics.adjusted_rand_score(labels, PREDICTED[:300])
    assert metrics.adjusted_rand_score(parts[1], others) == pytest.approx(expected, rel=1e-12)
    assert metrics.adjusted_rand_score(parts[1], split((labels + 1) % 4, n_blocks, empty=empty)) == 1.0


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("bcd")), min_size=2, max_size=30), st.integers(1, 4))
@pytest.mark.full
def test_pairs_of_words(split: Any, pairs: list[tuple[str, str]], n_blocks: int) -> None:
    true, predicted = (np.array(labels) for labels in zip(*pairs, strict=True))
    with dask.config.set(scheduler="sync"):
        cut = split(true, n_blocks), split(predicted, n_blocks)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of both, where there is only one label; scikit-learn's on many clusters
            found = metrics.confusion_matrix(*cut)
            np.testing.assert_array_equal(found, sklearn.metrics.confusion_matrix(true, predicted))
            assert metrics.accuracy_score(*cut) == pytest.approx(sklearn.metrics.accuracy_score(true, predicted))
            expected = sklearn.metrics.adjusted_rand_score(true, predicted)
        assert metrics.adjusted_rand_score(*cut) == pytest.approx(expected)


def test_data_frames_and_series(dask_client: Any) -> None:
    truth = dd.from_pandas(pd.Series(np.array(list("abcde"))[TRUE]), npartitions=3)
    model = LogisticRegression(max_iter=20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(DIGITS[:600], TRUE)
    shares = model.predict_proba(DIGITS[:600])
    frame = dd.from_pandas(pd.DataFrame(shares), npartitions=3)
    assert metrics.log_loss(truth, frame) == pytest.approx(sklearn.metrics.log_loss(TRUE, shares))
    assert metrics.accuracy_score(truth, truth) == 1.0
    numbers = dd.from_pandas(pd.Series(MEASURED[:, 0]), npartitions=2)
    expected = sklearn.metrics.r2_score(MEASURED[:, 0], MEASURED[:, 0] + 1)
    assert metrics.r2_score(numbers, numbers + 1) == pytest.approx(expected)


def test_roots_of_mean_squares(split: Any) -> None:
    for true, predicted in ((MEASURED, ESTIMATED), (split(MEASURED, 3), split(ESTIMATED, 3))):
        for options in ({}, {"multioutput": "raw_values"}, {"multioutput": [0.3, 0.7]}, {"sample_weight": WEIGHTS}):
            found = metrics.mean_squared_error(true, predicted, squared=False, **options)
            expected = sklearn.metrics.root_mean_squared_error(MEASURED, ESTIMATED, **options)
            np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_constant_truth(dask_client: Any, split: Any) -> None:
    same = split(np.ones(10), 3)
    assert metrics.r2_score(same, same) == 1.0
    assert metrics.r2_score(same, same + 1) == 0.0
    assert metrics.r2_score(same, same + 1, force_finite=False) == -np.inf


def test_data_in_memory() -> None:
    assert metrics.accuracy_score(list(TRUE), list(PREDICTED)) == sklearn.metrics.accuracy_score(TRUE, PREDICTED)
    assert metrics.log_loss(TRUE, PROBABILITIES) == sklearn.metrics.log_loss(TRUE, PROBABILITIES)
    assert metrics.r2_score(MEASURED, ESTIMATED) == sklearn.metrics.r2_score(MEASURED, ESTIMATED)
    few = DIGITS[:50], LABELS[:50]
    assert metrics.silhouette_score(*few) == sklearn.metrics.silhouette_score(*few)


def test_bad_input(dask_client: Any, split: Any) -> None:
    refused(InvalidData, "599 rows", lambda: metrics.accuracy_score(split(TRUE, 2), split(PREDICTED[1:], 2)))
    with pytest.raises(InvalidData, match="NaN"):
        metrics.mean_squared_error(split(np.where(TRUE, 1.0, np.nan), 2), split(PREDICTED, 2))
    refused(InvalidData, "shape", lambda: metrics.r2_score(split(MEASURED, 2), split(ESTIMATED[:, 0], 2)))
    with pytest.raises(InvalidData, match="must be probabilities"):
        metrics.log_loss(split(TRUE, 2), split(PROBABILITIES * 2, 2))
    refused(InvalidData, "5 columns", lambda: metrics.log_loss(split(np.minimum(TRUE, 3), 2), split(PROBABILITIES, 2)))
    with pytest.warns(UserWarning, match="do not sum to one"):
        metrics.log_loss(split(TRUE, 2), split(PROBABILITIES / 2, 2))
    with pytest.raises(InvalidData, match="1 clusters"):
        metrics.silhouette_score(split(DIGITS[:50], 2), split(np.zeros(50, int), 2))
    with pytest.raises(InvalidParameter, match="sample_size"):
        metrics.silhouette_score(split(DIGITS[:50], 2), split(LABELS[:50], 2), sample_size=0)
    refused(InvalidData, "y_true: is missing", lambda: metrics.accuracy_score(None, split(TRUE, 2)))
    with pytest.raises(InvalidParameter, match="multioutput"):
        metrics.r2_score(split(TRUE, 2), split(TRUE, 2), multioutput="all")
    with pytest.raises(InvalidData, match="1 label is missing"):
        metrics.accuracy_score(split(np.array(["a", None], dtype=object), 1), split(np.array(["a", "b"]), 1))
