"""Parts for training and testing: exact, aligned, and the same for any blocks."""

from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import sklearn.model_selection
from gpucluster.learn import LinearRegression, model_selection, train_test_split
from gpucluster.learn.errors import InvalidData, InvalidParameter
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from tests.learn.shared import refused

ROWS = np.arange(1001)
X = np.stack([ROWS, -ROWS], axis=1)


@pytest.mark.parametrize(("n_blocks", "empty"), [(1, False), (2, False), (3, True), (7, True)])
def test_the_same_rows_for_any_partitioning(split: Any, n_blocks: int, empty: bool) -> None:
    whole = train_test_split(da.from_array(X, chunks=(1001, 2)), test_size=0.3, random_state=4)
    # X and y are cut differently, and are not computed to be divided.
    x_train, x_test, y_train, y_test = train_test_split(
        split(X, n_blocks, empty=empty), split(ROWS, 3), test_size=0.3, random_state=4
    )
    assert (x_train.shape, x_test.shape) == ((700, 2), (301, 2))
    for part, target, expected in [(x_train, y_train, whole[0]), (x_test, y_test, whole[1])]:
        np.testing.assert_array_equal(part.compute(scheduler="sync"), expected.compute(scheduler="sync"))
        np.testing.assert_array_equal(part.compute(scheduler="sync")[:, 0], target.compute(scheduler="sync"))
        assert part.chunks[0] == tuple(len(block.compute(scheduler="sync")) for block in part.blocks)
    together = np.concatenate([x_train[:, 0].compute(scheduler="sync"), x_test[:, 0].compute(scheduler="sync")])
    np.testing.assert_array_equal(np.sort(together), ROWS)


def test_fit_and_score_on_parts_of_a_data_frame() -> None:
    table = pd.DataFrame({"a": ROWS % 7, "b": ROWS % 11, "y": 3.0 * (ROWS % 7) - ROWS % 11})
    with dask.config.set(scheduler="sync"):
        train, test = train_test_split(dd.from_pandas(table, npartitions=3), random_state=0)
        model = LinearRegression().fit(train[["a", "b"]], train["y"])
        np.testing.assert_allclose(model.coef_, [3, -1])
        assert model.score(test[["a", "b"]], test["y"]) == pytest.approx(1)


def test_data_frames_and_arrays_in_memory(dask_client: Any) -> None:
    frame = pd.DataFrame({"number": ROWS, "word": ROWS.astype(str)}, index=ROWS * 3)
    lazy = dd.from_pandas(frame, npartitions=4)
    train, test, words, _, numbers, others = train_test_split(lazy, lazy["word"], ROWS, test_size=101, random_state=1)
    assert isinstance(train, dd.DataFrame)
    assert isinstance(words, dd.Series)
    assert len(test) == 101
    computed = train.compute()
    pd.testing.assert_frame_equal(computed, lazy.compute().loc[computed.index])
    assert list(computed["word"]) == list(words.compute())
    np.testing.assert_array_equal(computed["number"], numbers)
    assert len(others) == 101


def test_random_rows_are_spread_evenly(split: Any) -> None:
    rows = train_test_split(da.arange(100_000, chunks=7_000), test_size=0.1, random_state=0)[1]
    counts = np.bincount(rows.compute(scheduler="sync") // 10_000)
    assert counts.sum() == 10_000
    assert chisquare(counts).pvalue > 1e-4
    again = train_test_split(da.arange(100_000, chunks=7_000), test_size=0.1, random_state=1)[1]
    assert 800 < len(np.intersect1d(rows.compute(scheduler="sync"), again.compute(scheduler="sync"))) < 1200


def test_without_shuffling(split: Any) -> None:
    train, test = train_test_split(split(ROWS, 7), test_size=100, train_size=200, shuffle=False)
    np.testing.assert_array_equal(train.compute(scheduler="sync"), ROWS[:200])
    np.testing.assert_array_equal(test.compute(scheduler="sync"), ROWS[200:300])


@settings(max_examples=60)
@given(st.integers(2, 5000), st.integers(0, 2**31 - 1), st.data())
def test_sizes_are_exact(n_rows: int, seed: int, data: Any) -> None:
    n_test = data.draw(st.integers(1, n_rows - 1))
    n_train = data.draw(st.integers(1, n_rows - n_test))
    chosen = model_selection.at_random(n_rows, n_train, n_test, seed)
    whole = chosen.of_rows(0, n_rows)
    assert ((whole == model_selection.TEST).sum(), (whole == model_selection.TRAIN).sum()) == (n_test, n_train)
    cut = data.draw(st.integers(0, n_rows))
    np.testing.assert_array_equal(np.concatenate([chosen.of_rows(0, cut), chosen.of_rows(cut, n_rows - cut)]), whole)


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.full
def test_classes_keep_their_shares(dask_client: Any, split: Any, words: bool) -> None:
    """To a row, for rare classes and sorted rows too; the same rows for any blocks of X and the labels."""
    counts = np.array([4000, 900, 2, 1098])
    labels = np.repeat(np.array(["a", "b", "c", "d"]) if words else np.arange(4), counts)
    rows = np.arange(len(labels))[:, None] * 1.0
    found = []
    for n_x, n_y in ((1, 4), (5, 3)):
        y = split(labels, n_y, empty=True)
        X_train, X_test, y_train, y_test = train_test_split(
            split(rows, n_x), y, test_size=0.3, random_state=5, stratify=y if n_x == 1 else labels
        )
        assert (X_train.shape, X_test.shape) == ((4200, 1), (1800, 1))
        for part, share in ((y_test, 0.3), (y_train, 0.7)):
            own = np.unique(part.compute(), return_counts=True)[1]
            assert np.abs(own - counts * share).max() <= 1
        found.append(np.concatenate([X_test.compute(), X_train.compute()])[:, 0])
        np.testing.assert_array_equal(labels[found[-1].astype(int)], np.concatenate([y_test, y_train]))
    np.testing.assert_array_equal(*found)
    assert len(np.unique(found[0])) == 6000


def test_data_in_memory_like_scikit_learn() -> None:
    ours, theirs = (
        split(X, ROWS, random_state=3, stratify=ROWS % 2)
        for split in (train_test_split, sklearn.model_selection.train_test_split)
    )
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine, other)


def test_bad_input(split: Any) -> None:
    refused(InvalidData, "Each argument", lambda: train_test_split(split(X, 2), None))
    masked = da.ma.masked_array(da.ones(8, chunks=4), mask=[False] * 8)
    with pytest.raises(InvalidData, match=r"arrays\[1\]: masked arrays are not supported"):
        train_test_split(da.ones(8, chunks=4), masked)
    refused(InvalidData, "At least one", lambda: train_test_split())
    refused(InvalidData, r"1,001, 1,000", lambda: train_test_split(split(X, 2), ROWS[1:]))
    refused(InvalidParameter, "test_size", lambda: train_test_split(split(X, 2), test_size=1.5))
    refused(InvalidData, "only 1 member", lambda: train_test_split(split(X, 2), stratify=ROWS))
    with pytest.raises(InvalidParameter, match="test_size = 2 should be greater"):
        train_test_split(split(X, 2), test_size=2, stratify=ROWS % 3)
    refused(InvalidParameter, "shuffle=False", lambda: train_test_split(split(X, 2), shuffle=False, stratify=ROWS % 3))
