"""Scaled columns: scikit-learn's numbers for any blocks, and with missing values."""

from __future__ import annotations

from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from gpucluster.learn import StandardScaler
from gpucluster.learn.kernels.columns import columns, merge_columns
from gpucluster.learn.rows.block import Block
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_digits
from sklearn.preprocessing import StandardScaler as Reference

DIGITS = load_digits().data


def same(ours: Any, theirs: Any) -> None:
    for name in ("mean_", "var_", "scale_", "n_samples_seen_"):
        mine, reference = getattr(ours, name), getattr(theirs, name)
        if reference is None:
            assert mine is None, name
        else:
            np.testing.assert_allclose(mine, reference, rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("n_blocks", [1, 2, 3, 7])
@pytest.mark.parametrize("empty", [False, True])
def test_statistics_are_those_of_scikit_learn(dask_client: Any, split: Any, n_blocks: int, empty: bool) -> None:
    X = split(DIGITS, n_blocks, empty=empty)
    ours, theirs = StandardScaler().fit(X), Reference().fit(DIGITS)
    same(ours, theirs)
    scaled = ours.transform(X)
    np.testing.assert_allclose(scaled.compute(), theirs.transform(DIGITS), atol=1e-12)
    np.testing.assert_allclose(ours.inverse_transform(scaled).compute(), DIGITS, atol=1e-12)


@pytest.mark.parametrize("with_mean", [True, False])
@pytest.mark.parametrize("with_std", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_options_weights_and_missing_values(split: Any, with_mean: bool, with_std: bool, weighted: bool) -> None:
    rng = np.random.default_rng(0)
    data = DIGITS.copy()
    data[rng.random(data.shape) < 0.1] = np.nan
    data[:900, 5] = np.nan
    weights = rng.random(len(data)) if weighted else None
    options = {"with_mean": with_mean, "with_std": with_std}
    lazy_weights = None if weights is None else split(weights, 3)
    ours = StandardScaler(**options).fit(split(data, 3), sample_weight=lazy_weights)
    theirs = Reference(**options).fit(data, sample_weight=weights)
    same(ours, theirs)
    np.testing.assert_allclose(ours.transform(split(data, 2)).compute(), theirs.transform(data), atol=1e-11)
    np.testing.assert_allclose(ours.get_combined_model().transform(data), theirs.transform(data), atol=1e-11)


VALUES = st.sampled_from([0, 1, 2, 5, np.nan])


@settings(max_examples=40)
@given(
    data=arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=VALUES), at=st.integers(0, 12)
)
def test_merged_statistics_are_those_of_all_rows(data: Any, at: int) -> None:
    whole = columns(Block(0, 0, data))
    merged = merge_columns(columns(Block(0, 0, data[:at])), columns(Block(1, at, data[at:])))
    for mine, reference in zip(merged, whole, strict=True):
        np.testing.assert_allclose(mine, reference, atol=1e-12)
    there = ~np.isnan(data)
    np.testing.assert_array_equal(whole.counts, there.sum(axis=0))
    some = there.any(axis=0)
    np.testing.assert_allclose(whole.means[some], np.nanmean(data[:, some], axis=0), atol=1e-12)
    np.testing.assert_allclose(
        whole.squares[some], np.nanvar(data[:, some], axis=0) * there.sum(axis=0)[some], atol=1e-9
    )


@pytest.mark.parametrize("factor", [1e-300, 1e-165, 1e160, 1e300])
def test_a_common_factor_of_weights_changes_nothing(split: Any, factor: float) -> None:
    weights = np.random.default_rng(0).random(len(DIGITS))
    theirs = Reference().fit(DIGITS, sample_weight=weights)
    ours = StandardScaler().fit(split(DIGITS, 3), sample_weight=split(weights * factor, 3))
    np.testing.assert_allclose(ours.scale_, theirs.scale_, rtol=1e-10)


def test_float32_far_from_zero(split: Any) -> None:
    rng = np.random.default_rng(0)
    data = (rng.normal(size=(20_000, 3)) + 1e6).astype(np.float32)
    truth = Reference().fit(data.astype(np.float64))
    ours = StandardScaler().fit(split(data, 4))
    np.testing.assert_allclose(ours.scale_, truth.scale_, rtol=1e-10)
    scaled = ours.transform(split(data, 4))
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaled.compute(), truth.transform(data.astype(np.float64)), atol=2e-6)


def test_equal_columns_stay(split: Any) -> None:
    data = np.column_stack([np.full(1000, 0.1), np.full(1000, 1e9 + 0.3), np.arange(1000)])
    ours = StandardScaler().fit(split(data, 3))
    same(ours, Reference().fit(data))
    assert list(ours.scale_[:2]) == [1.0, 1.0]


def test_frames_keep_index_and_names(dask_client: Any) -> None:
    frame = pd.DataFrame(DIGITS[:, 2:5], columns=list("abc"), index=np.arange(len(DIGITS)) + 7)
    scaler = StandardScaler().fit(dd.from_pandas(frame, npartitions=3))
    scaled = scaler.transform(dd.from_pandas(frame, npartitions=2))
    assert list(scaled.columns) == list("abc")
    computed = scaled.compute()
    assert computed.index.equals(frame.index)
    np.testing.assert_allclose(computed, Reference().fit_transform(frame), atol=1e-12)
