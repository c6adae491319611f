"""Naive Bayes against scikit-learn's on digits, for several partitionings."""

from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import sklearn.naive_bayes
from gpucluster.learn import GaussianNB, MultinomialNB
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits

DIGITS, LABELS = load_digits(return_X_y=True)
WORDS = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])[LABELS]
WEIGHTS = np.random.default_rng(1).random(len(DIGITS))
WEIGHTED = [(1, False, True), (2, False, False), (3, True, True), (3, False, False), (7, True, False), (7, False, True)]


@pytest.mark.parametrize(("n_blocks", "empty", "weighted"), WEIGHTED)
@pytest.mark.full
def test_gaussian(dask_client: Any, split: Any, n_blocks: int, empty: bool, weighted: bool) -> None:
    parts = [split(part, n_blocks, empty=empty) for part in (DIGITS + 1e3, WORDS, WEIGHTS)[: 2 + weighted]]
    ours = GaussianNB().fit(*parts)
    theirs = sklearn.naive_bayes.GaussianNB().fit(DIGITS + 1e3, WORDS, *([WEIGHTS] if weighted else []))
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    for name in ("class_count_", "class_prior_", "theta_", "var_", "epsilon_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, atol=1e-12, err_msg=name)
    predicted = ours.predict(parts[0])
    assert isinstance(predicted, da.Array)
    assert predicted.chunks == (parts[0].chunks[0],)
    assert np.mean(predicted.compute() == theirs.predict(DIGITS + 1e3)) > 0.999
    shares = ours.predict_proba(parts[0]).compute()
    assert np.quantile(np.abs(shares - theirs.predict_proba(DIGITS + 1e3)), 0.999) < 1e-3
    assert ours.score(parts[0], parts[1]) == pytest.approx(theirs.score(DIGITS + 1e3, WORDS), abs=1e-3)


@pytest.mark.parametrize(("n_blocks", "empty", "weighted"), WEIGHTED)
@pytest.mark.full
def test_multinomial(dask_client: Any, split: Any, n_blocks: int, empty: bool, weighted: bool) -> None:
    parts = [split(part, n_blocks, empty=empty) for part in (DIGITS, LABELS, WEIGHTS)[: 2 + weighted]]
    for options in ({}, {"alpha": 0.3, "fit_prior": False}, {"class_prior": np.full(10, 0.1)}, {"alpha": np.ones(64)}):
        ours = MultinomialNB(**options).fit(*parts)
        theirs = sklearn.naive_bayes.MultinomialNB(**options).fit(DIGITS, LABELS, *([WEIGHTS] if weighted else []))
        for name in ("classes_", "class_count_", "feature_count_", "class_log_prior_", "feature_log_prob_"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, err_msg=name)
    np.testing.assert_array_equal(ours.predict(parts[0]).compute(), theirs.predict(DIGITS))
    np.testing.assert_allclose(ours.predict_log_proba(parts[0]).compute(), theirs.predict_log_proba(DIGITS), atol=1e-8)


def test_single_precision_is_summed_in_double_precision(dask_client: Any, split: Any) -> None:
    X = (DIGITS + 1e4).astype(np.float32)
    ours = GaussianNB().fit(split(X, 3), split(LABELS, 3))
    theirs = sklearn.naive_bayes.GaussianNB().fit(X.astype(np.float64), LABELS)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-9)


def test_data_frames_with_words_as_labels(dask_client: Any) -> None:
    frame = pd.DataFrame(DIGITS[:, :20], columns=[f"p{number}" for number in range(20)])
    labels = pd.Series(WORDS)
    ours = GaussianNB().fit(dd.from_pandas(frame, npartitions=3), dd.from_pandas(labels, npartitions=3))
    theirs = sklearn.naive_bayes.GaussianNB().fit(frame, labels)
    assert list(ours.feature_names_in_) == list(frame.columns)
    predicted = ours.predict(dd.from_pandas(frame, npartitions=2)).compute()
    np.testing.assert_array_equal(predicted.to_numpy().astype(str), theirs.predict(frame).astype(str))
    shares = ours.predict_proba(dd.from_pandas(frame, npartitions=2)).compute()
    np.testing.assert_allclose(shares, theirs.predict_proba(frame), atol=1e-8)
    codes = dd.from_pandas(labels.astype("category"), npartitions=3)
    again = GaussianNB().fit(dd.from_pandas(frame, npartitions=3), codes)
    assert list(again.classes_) == list(ours.classes_)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(2, 40), st.integers(1, 5), st.floats(-1e6, 1e6), st.integers(0, 2**32))
def test_moments_do_not_depend_on_blocks(split: Any, n_rows: int, n_blocks: int, shift: float, seed: int) -> None:
    draw = np.random.default_rng(seed)
    X, y = draw.normal((shift, 0), (1, 3), (n_rows, 2)), draw.integers(0, 3, n_rows)
    with dask.config.set(scheduler="sync"):
        ours = GaussianNB().fit(split(X, n_blocks), split(y, n_blocks))
    theirs = sklearn.naive_bayes.GaussianNB().fit(X, y)
    np.testing.assert_allclose(ours.theta_, theirs.theta_, rtol=1e-9)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-8, atol=1e-9)
