"""Scaled columns: scikit-learn's numbers for any blocks, and with missing values."""

from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from gpucluster.learn import MaxAbsScaler, MinMaxScaler, StandardScaler
from gpucluster.learn.errors import InvalidData
from gpucluster.learn.kernels.columns import columns, extremes, merge_columns, merge_extremes
from gpucluster.learn.rows.block import Block
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_digits
from sklearn.preprocessing import MaxAbsScaler as MaxAbsReference
from sklearn.preprocessing import MinMaxScaler as Reference
from sklearn.preprocessing import StandardScaler as StandardReference

from tests.learn.shared import refused

pytestmark = pytest.mark.usefixtures("in_process")

DIGITS = load_digits().data - 5
REFERENCES: dict[Any, Any] = {MinMaxScaler: Reference, MaxAbsScaler: MaxAbsReference}
BOTH = pytest.mark.parametrize("cls", REFERENCES)
ALL = {**REFERENCES, StandardScaler: StandardReference}


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


def test_column_of_rounding_differences_is_not_scaled(split: Any) -> None:
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


@pytest.mark.parametrize("cls", ALL)
def test_data_frames_keep_columns_and_index(cls: Any) -> None:
    frame = pd.DataFrame(DIGITS[:, :3], columns=["a", "b", "c"], index=np.arange(len(DIGITS)) * 2)
    lazy = dd.from_pandas(frame, npartitions=3)
    ours = cls().fit(lazy)
    result = ours.transform(lazy)
    assert list(result.columns) == list(ours.get_feature_names_out()) == ["a", "b", "c"]
    theirs = ALL[cls]().set_output(transform="pandas").fit(frame)
    pd.testing.assert_frame_equal(result.compute(), theirs.transform(frame), rtol=1e-12, atol=1e-12)
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


# -- mean and standard deviation ------------------------------------------

POSITIVE = load_digits().data


def same_statistics(ours: Any, theirs: Any) -> None:
    for name in ("mean_", "var_", "scale_", "n_samples_seen_"):
        mine, reference = getattr(ours, name), getattr(theirs, name)
        if reference is None:
            assert mine is None, name
        else:
            np.testing.assert_allclose(mine, reference, rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("n_blocks", [1, 2, 3, 7])
@pytest.mark.parametrize("empty", [False, True])
def test_statistics_are_those_of_scikit_learn(dask_client: Any, split: Any, n_blocks: int, empty: bool) -> None:
    X = split(POSITIVE, n_blocks, empty=empty)
    ours, theirs = StandardScaler().fit(X), StandardReference().fit(POSITIVE)
    same_statistics(ours, theirs)
    scaled = ours.transform(X)
    np.testing.assert_allclose(scaled.compute(), theirs.transform(POSITIVE), atol=1e-12)
    np.testing.assert_allclose(ours.inverse_transform(scaled).compute(), POSITIVE, atol=1e-12)


@pytest.mark.parametrize("with_mean", [True, False])
@pytest.mark.parametrize("with_std", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_options_weights_and_missing_values(split: Any, with_mean: bool, with_std: bool, weighted: bool) -> None:
    rng = np.random.default_rng(0)
    data = POSITIVE.copy()
    data[rng.random(data.shape) < 0.1] = np.nan
    data[:900, 5] = np.nan
    weights = rng.random(len(data)) if weighted else None
    options = {"with_mean": with_mean, "with_std": with_std}
    lazy_weights = None if weights is None else split(weights, 3)
    ours = StandardScaler(**options).fit(split(data, 3), sample_weight=lazy_weights)
    theirs = StandardReference(**options).fit(data, sample_weight=weights)
    same_statistics(ours, theirs)
    np.testing.assert_allclose(ours.transform(split(data, 2)).compute(), theirs.transform(data), atol=1e-11)
    np.testing.assert_allclose(ours.get_combined_model().transform(data), theirs.transform(data), atol=1e-11)


SMALL = st.sampled_from([0, 1, 2, 5, np.nan])


@settings(max_examples=40)
@given(data=arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=SMALL), at=st.integers(0, 12))
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
def test_scaled_weights_give_same_result(split: Any, factor: float) -> None:
    weights = np.random.default_rng(0).random(len(POSITIVE))
    theirs = StandardReference().fit(POSITIVE, sample_weight=weights)
    ours = StandardScaler().fit(split(POSITIVE, 3), sample_weight=split(weights * factor, 3))
    np.testing.assert_allclose(ours.scale_, theirs.scale_, rtol=1e-10)


def test_float32_far_from_zero(split: Any) -> None:
    rng = np.random.default_rng(0)
    data = (rng.normal(size=(20_000, 3)) + 1e6).astype(np.float32)
    truth = StandardReference().fit(data.astype(np.float64))
    ours = StandardScaler().fit(split(data, 4))
    np.testing.assert_allclose(ours.scale_, truth.scale_, rtol=1e-10)
    scaled = ours.transform(split(data, 4))
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaled.compute(), truth.transform(data.astype(np.float64)), atol=2e-6)


def test_equal_columns_stay(split: Any) -> None:
    data = np.column_stack([np.full(1000, 0.1), np.full(1000, 1e9 + 0.3), np.arange(1000)])
    ours = StandardScaler().fit(split(data, 3))
    same_statistics(ours, StandardReference().fit(data))
    assert list(ours.scale_[:2]) == [1.0, 1.0]
