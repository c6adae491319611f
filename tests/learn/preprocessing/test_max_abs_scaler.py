"""Columns divided by their largest values: scikit-learn's numbers, whatever the blocks, and with missing values."""

from __future__ import annotations

from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from gpucluster.learn import MaxAbsScaler
from gpucluster.learn.errors import InvalidData, InvalidParameter
from sklearn.datasets import load_digits
from sklearn.preprocessing import MaxAbsScaler as Reference

DIGITS = load_digits().data - 5


@pytest.fixture(autouse=True)
def _in_this_process() -> Any:
    with dask.config.set(scheduler="sync"):
        yield


def same(ours: Any, theirs: Any) -> None:
    for name in ("max_abs_", "scale_", "n_samples_seen_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n_blocks", "empty"), [(1, False), (3, True), (7, False)])
def test_it_is_scikit_learns(split: Any, n_blocks: int, empty: bool, dtype: Any) -> None:
    data = DIGITS.astype(dtype)
    data[:, 3] = 0
    data[:900, 5] = np.nan
    X = split(data, n_blocks, empty=empty)
    ours, theirs = MaxAbsScaler().fit(X), Reference().fit(data)
    same(ours, theirs)
    result = ours.transform(X)
    assert result.dtype == result.compute().dtype == dtype
    np.testing.assert_array_equal(result.compute(), theirs.transform(data))
    np.testing.assert_allclose(ours.inverse_transform(result).compute(), data, rtol=1e-6)
    np.testing.assert_array_equal(ours.get_combined_model().transform(data), theirs.transform(data))


@pytest.mark.filterwarnings("ignore:All-NaN slice encountered:RuntimeWarning")  # scikit-learn's
def test_a_column_without_values_stays_without(split: Any) -> None:
    data = DIGITS.copy()
    data[:, 2] = np.nan
    ours, theirs = MaxAbsScaler().fit(split(data, 3)), Reference().fit(data)
    same(ours, theirs)
    np.testing.assert_array_equal(ours.transform(split(data, 2)).compute(), theirs.transform(data))


def test_new_rows_are_clipped_if_asked_for(split: Any) -> None:
    for clip in (False, True):
        ours, theirs = (cls(clip=clip).fit(DIGITS[:900] / 3) for cls in (MaxAbsScaler, Reference))
        np.testing.assert_array_equal(ours.transform(split(DIGITS, 3)).compute(), theirs.transform(DIGITS))
        assert (np.abs(ours.transform(DIGITS)).max() > 1) == (not clip)


def test_data_frames_keep_columns_and_index() -> None:
    frame = pd.DataFrame(DIGITS[:, :3], columns=["a", "b", "c"], index=np.arange(len(DIGITS)) * 2)
    lazy = dd.from_pandas(frame, npartitions=3)
    ours = MaxAbsScaler().fit(lazy)
    result = ours.transform(lazy)
    assert list(result.columns) == list(ours.get_feature_names_out()) == ["a", "b", "c"]
    pd.testing.assert_frame_equal(result.compute(), Reference().set_output(transform="pandas").fit_transform(frame))
    with pytest.raises(InvalidData, match="same columns in the same order"):
        ours.transform(lazy[["c", "b", "a"]])


def test_what_is_refused(split: Any) -> None:
    """The rest is that of `MinMaxScaler`, whose extremes these are."""
    with pytest.raises(InvalidData, match=r"0 row\(s\)"):
        MaxAbsScaler().fit(split(DIGITS[:0], 1))
    with pytest.raises(InvalidParameter, match="clip: must be True or False"):
        MaxAbsScaler(clip="yes").fit(DIGITS)  # type: ignore[arg-type]
