"""Columns scaled by their extremes: scikit-learn's numbers for any blocks, and with missing values."""

from __future__ import annotations

from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from gpucluster.learn import MaxAbsScaler, MinMaxScaler
from gpucluster.learn.errors import InvalidData
from gpucluster.learn.kernels.columns import extremes, merge_extremes
from gpucluster.learn.rows.block import Block
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_digits
from sklearn.preprocessing import MaxAbsScaler as MaxAbsReference
from sklearn.preprocessing import MinMaxScaler as Reference

from tests.learn.shared import refused

pytestmark = pytest.mark.usefixtures("in_process")

DIGITS = load_digits().data - 5
REFERENCES: dict[Any, Any] = {MinMaxScaler: Reference, MaxAbsScaler: MaxAbsReference}
BOTH = pytest.mark.parametrize("cls", REFERENCES)


def same(ours: Any, theirs: Any) -> None:
    own = ("max_abs_",) if isinstance(ours, MaxAbsScaler) else ("data_min_", "data_max_", "data_range_", "min_")
    for name in (*own, "scale_", "n_samples_seen_"):
        mine, reference = getattr(ours, name), getattr(theirs, name)
        np.testing.assert_array_equal(mine, reference, err_msg=name)
        assert np.asarray(mine).dtype == np.asarray(reference).dtype, name


@BOTH
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n_blocks", "empty"), [(1, False), (3, True), (7, False)])
def test_same_as_scikit_learn(split: Any, n_blocks: int, empty: bool, dtype: Any, cls: Any) -> None:
    data = DIGITS.astype(dtype)
    data[:, 3], data[:, 4] = 4, 0
    data[:900, 5] = np.nan
    before = data.copy()
    X = split(data, n_blocks, empty=empty)
    ours, theirs = cls().fit(X), REFERENCES[cls]().fit(data)
    same(ours, theirs)
    result = ours.transform(X)
    assert result.dtype == result.compute().dtype == dtype
    np.testing.assert_array_equal(result.compute(), theirs.transform(data))
    np.testing.assert_array_equal(ours.inverse_transform(result), theirs.inverse_transform(theirs.transform(data)))
    np.testing.assert_allclose(ours.inverse_transform(result), data, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(ours.get_combined_model().transform(data), theirs.transform(data))
    np.testing.assert_array_equal(data, before)


@pytest.mark.parametrize("feature_range", [(-1, 1), (0.1, 0.9), (np.float64(5), np.float64(7))])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_another_range(split: Any, feature_range: Any, dtype: Any) -> None:
    data = DIGITS.astype(dtype)
    ours, theirs = (cls(feature_range).fit(X) for cls, X in ((MinMaxScaler, split(data, 3)), (Reference, data)))
    same(ours, theirs)
    for X in (data, split(data, 3)):
        np.testing.assert_array_equal(ours.transform(X), theirs.transform(data))
        np.testing.assert_array_equal(ours.inverse_transform(X), theirs.inverse_transform(data))


@BOTH
@pytest.mark.filterwarnings("ignore:All-NaN slice encountered:RuntimeWarning")  # scikit-learn's
def test_a_column_without_values(split: Any, cls: Any) -> None:
    data = DIGITS.copy()
    data[:, 2] = np.nan
    ours, theirs = cls().fit(split(data, 3)), REFERENCES[cls]().fit(data)
    same(ours, theirs)
    np.testing.assert_array_equal(ours.transform(split(data, 2)).compute(), theirs.transform(data))


def test_a_column_with_rounding_differences_only_is_not_scaled(split: Any) -> None:
    data = np.column_stack([np.full(30, 0.3), np.where(np.arange(30) % 2, 0.3, np.nextafter(0.3, 1)), np.arange(30)])
    ours, theirs = MinMaxScaler().fit(split(data, 3)), Reference().fit(data)
    same(ours, theirs)
    assert list(ours.scale_[:2]) == [1, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("cls", "options", "most"),
    [(MinMaxScaler, {"feature_range": (np.float64(0.1), np.float64(0.9))}, 0.91), (MaxAbsScaler, {}, 1)],
)
def test_new_rows_are_clipped_with_clip(split: Any, dtype: Any, cls: Any, options: Any, most: float) -> None:
    data = DIGITS.astype(dtype)
    data[4, 4] = np.nan
    for clip in (False, True):
        ours, theirs = (one(clip=clip, **options).fit(data[:900] / 3) for one in (cls, REFERENCES[cls]))
        result = ours.transform(split(data, 3))
        np.testing.assert_array_equal(result.compute(), theirs.transform(data))
        assert result.dtype == result.compute().dtype == dtype
        assert (np.nanmax(np.abs(ours.transform(data))) > most) == (not clip)


def test_partial_fit(split: Any) -> None:
    data = DIGITS.copy()
    data[:500, 1] = np.nan
    whole, parts = MinMaxScaler().fit(data), MinMaxScaler()
    for part in (data[:500], data[500:501], data[501:]):
        assert parts.partial_fit(split(part, 2)) is parts
    same(parts, whole)
    with pytest.raises(InvalidData, match="X has 3 features, but MinMaxScaler is expecting 64"):
        parts.partial_fit(split(data[:, :3], 2))
    same(parts, whole)
    same(parts.fit(data[:9, :3]), MinMaxScaler().fit(data[:9, :3]))


def test_partial_fit_with_a_column_without_values_in_one_part() -> None:
    """It finds what `fit` finds, unlike in scikit-learn."""
    parts = [np.array([[np.nan, 1.0, 1.0]]), np.array([[4.0, 3.0, np.nan], [6.0, np.nan, np.nan]])]
    scaler = MinMaxScaler()
    for part in parts:
        scaler.partial_fit(part)
    same(scaler, Reference().fit(np.concatenate(parts)))
    assert list(scaler.data_min_) == [4, 1, 1] and list(scaler.data_max_) == [6, 3, 1]


@BOTH
def test_data_frames_keep_columns_and_index(cls: Any) -> None:
    frame = pd.DataFrame(DIGITS[:, :3], columns=["a", "b", "c"], index=np.arange(len(DIGITS)) * 2)
    lazy = dd.from_pandas(frame, npartitions=3)
    ours = cls().fit(lazy)
    result = ours.transform(lazy)
    assert list(result.columns) == list(ours.get_feature_names_out()) == ["a", "b", "c"]
    theirs = REFERENCES[cls]().set_output(transform="pandas").fit(frame)
    pd.testing.assert_frame_equal(result.compute(), theirs.transform(frame))
    back = ours.inverse_transform(result)
    pd.testing.assert_frame_equal(back.compute(), frame)
    refused(InvalidData, "same columns in the same order", lambda: ours.transform(lazy[["c", "b", "a"]]))


def test_sparse_rows_become_dense_ones() -> None:
    few = DIGITS * (DIGITS > 3)
    expected = MinMaxScaler().fit_transform(few)
    blocks = da.from_array(few, chunks=(600, -1)).map_blocks(scipy.sparse.csr_array)
    for X in (scipy.sparse.csr_array(few), blocks):
        np.testing.assert_array_equal(MinMaxScaler().fit(X).transform(X), expected)


values = st.floats(-1e300, 1e300) | st.just(np.nan)


@settings(max_examples=50)
@given(arrays(np.float64, st.tuples(st.integers(1, 8), st.integers(1, 3)), elements=values), st.integers(0, 8))
def test_merged_extremes_are_those_of_all_rows(data: Any, cut: int) -> None:
    parts = [extremes(Block(number, None, part)) for number, part in enumerate((data[:cut], data[cut:]))]
    whole, merged = extremes(Block(0, 0, data)), merge_extremes(*parts)
    assert merged.n_rows == whole.n_rows == len(data)
    np.testing.assert_array_equal(merged.lows, whole.lows)
    np.testing.assert_array_equal(merged.highs, whole.highs)
    np.testing.assert_array_equal(whole.lows, np.fmin.reduce(data, axis=0))
    np.testing.assert_array_equal(whole.highs, np.fmax.reduce(data, axis=0))
