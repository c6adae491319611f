"""Forests against scikit-learn's on digits and diabetes; sorted rows, and what shuffling does for them."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
import sklearn.tree
from gpucluster.learn import RandomForestClassifier, RandomForestRegressor
from gpucluster.learn.ensemble.growing import trees_per_block
from gpucluster.learn.errors import InvalidData, InvalidParameter, NotSupported
from sklearn.datasets import load_diabetes, load_digits

DIGITS, LABELS = load_digits(return_X_y=True)
ORDER = np.random.default_rng(0).permutation(len(DIGITS))
TRAIN, TEST = ORDER[:1300], ORDER[1300:]
WORDS = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])[LABELS]


def test_one_block_is_scikit_learns_forest(dask_client: Any, split: Any) -> None:
    ours = RandomForestClassifier(10, random_state=3).fit(split(DIGITS, 1), split(WORDS, 1))
    theirs = sklearn.ensemble.RandomForestClassifier(10, random_state=3).fit(DIGITS, WORDS)
    np.testing.assert_array_equal(ours.predict_proba(split(DIGITS, 2)).compute(), theirs.predict_proba(DIGITS))
    np.testing.assert_array_equal(ours.feature_importances_, theirs.feature_importances_)
    in_memory = RandomForestClassifier(10, random_state=3).fit(DIGITS, WORDS)
    np.testing.assert_array_equal(in_memory.predict_proba(DIGITS), theirs.predict_proba(DIGITS))


@pytest.mark.parametrize(("n_blocks", "empty"), [(2, False), (3, True), (7, False)])
def test_nearly_as_good_on_several_blocks(dask_client: Any, split: Any, n_blocks: int, empty: bool) -> None:
    theirs = sklearn.ensemble.RandomForestClassifier(60, random_state=0).fit(DIGITS[TRAIN], WORDS[TRAIN])
    X, y = split(DIGITS[TRAIN], n_blocks, empty=empty), split(WORDS[TRAIN], n_blocks, empty=empty)
    ours = RandomForestClassifier(60, random_state=0).fit(X, y)
    assert len(ours.estimators_) == 60
    predicted = ours.predict(split(DIGITS[TEST], 2, empty=empty))
    assert isinstance(predicted, da.Array)
    tolerance = 0.02 + 0.01 * n_blocks  # each tree sees fewer rows
    accuracy = ours.score(split(DIGITS[TEST], 2), split(WORDS[TEST], 2))
    assert accuracy == pytest.approx(theirs.score(DIGITS[TEST], WORDS[TEST]), abs=tolerance)
    combined = ours.get_combined_model()
    assert type(combined) is sklearn.ensemble.RandomForestClassifier
    np.testing.assert_array_equal(combined.predict(DIGITS[TEST]), predicted.compute())
    again = RandomForestClassifier(60, random_state=0).fit(X, y)
    np.testing.assert_array_equal(
        again.predict_proba(DIGITS[TEST]), ours.predict_proba(split(DIGITS[TEST], 3)).compute()
    )


def test_sorted_rows_need_shuffling(dask_client: Any, split: Any) -> None:
    """Blocks with some classes only: the forest still knows all, but votes badly; shuffled, it is as good as others."""
    by_class = TRAIN[np.argsort(LABELS[TRAIN], kind="stable")]
    X, y = split(DIGITS[by_class], 4), split(LABELS[by_class], 4)
    apart = RandomForestClassifier(40, random_state=0).fit(X, y)
    np.testing.assert_array_equal(apart.classes_, range(10))
    assert all(tree.tree_.value.shape[2] == 10 for tree in apart.estimators_)
    mixed = RandomForestClassifier(40, random_state=0, shuffle=True).fit(X, y)
    theirs = sklearn.ensemble.RandomForestClassifier(40, random_state=0).fit(DIGITS[TRAIN], LABELS[TRAIN])
    good = theirs.score(DIGITS[TEST], LABELS[TEST])
    assert mixed.score(DIGITS[TEST], LABELS[TEST]) == pytest.approx(good, abs=0.04)
    assert apart.score(DIGITS[TEST], LABELS[TEST]) < good - 0.1


def test_shuffling_keeps_all_rows(dask_client: Any, split: Any) -> None:
    from gpucluster.learn.ensemble.shuffling import shuffled
    from gpucluster.learn.rows.table import as_table

    rows = np.arange(1000.0)[:, None]
    dealt = shuffled(as_table(split(rows, 5), split(rows[:, 0], 5)), seed=1)
    X, y = dealt.X.compute(), dealt.y.compute()
    np.testing.assert_array_equal(X[:, 0], y)
    np.testing.assert_array_equal(np.sort(y), rows[:, 0])
    assert dealt.X.chunks[0] == tuple(len(block.compute()) for block in dealt.X.blocks)
    assert all(150 < length < 250 for length in dealt.X.chunks[0])


def test_numbers(dask_client: Any, split: Any) -> None:
    X, y = load_diabetes(return_X_y=True)
    y2 = np.stack([y, -y], axis=1)
    for target in (y, y2):
        theirs = sklearn.ensemble.RandomForestRegressor(50, random_state=0).fit(X[:300], target[:300])
        ours = RandomForestRegressor(50, random_state=0).fit(split(X[:300], 3), split(target[:300], 3))
        predicted = ours.predict(split(X[300:], 2)).compute()
        assert predicted.shape == target[300:].shape
        np.testing.assert_array_equal(ours.get_combined_model().predict(X[300:]), predicted)
        score = ours.score(split(X[300:], 2), split(target[300:], 2))
        assert score == pytest.approx(theirs.score(X[300:], target[300:]), abs=0.06)


def test_data_frames(dask_client: Any) -> None:
    frame = pd.DataFrame(DIGITS[TRAIN], columns=[f"p{number}" for number in range(64)])
    labels = pd.Series(WORDS[TRAIN])
    ours = RandomForestClassifier(10, random_state=0, shuffle=True).fit(
        dd.from_pandas(frame, npartitions=2), dd.from_pandas(labels, npartitions=2)
    )
    predicted = ours.predict(dd.from_pandas(frame, npartitions=3))
    assert isinstance(predicted, dd.Series)
    assert np.mean(predicted.compute() == labels) > 0.97
    assert list(ours.get_combined_model().feature_names_in_) == list(frame.columns)
    assert ours.predict_proba(dd.from_pandas(frame, npartitions=3)).compute().shape == (1300, 10)


def test_weights_of_classes_and_rows(dask_client: Any, split: Any) -> None:
    rare, frequent = np.flatnonzero(LABELS == 3)[:12], np.flatnonzero(LABELS == 8)
    few = np.concatenate([rare[:6], frequent[:87], rare[6:], frequent[87:]])
    is_rare = LABELS[few] == 3
    X, y = split(DIGITS[few], 2), split(LABELS[few], 2)
    for weight in ("balanced", "balanced_subsample", {3: 10.0, 8: 1.0}):
        ours = RandomForestClassifier(20, random_state=0, max_depth=2, class_weight=weight).fit(X, y)
        theirs = sklearn.ensemble.RandomForestClassifier(20, random_state=0, max_depth=2, class_weight=weight)
        theirs.fit(DIGITS[few], LABELS[few])
        mine, other = ours.predict_proba(DIGITS[few])[:, 0], theirs.predict_proba(DIGITS[few])[:, 0]
        assert mine[is_rare].mean() == pytest.approx(other[is_rare].mean(), abs=0.2)
    alone = RandomForestClassifier(10, random_state=0).fit(X, y, split((LABELS[few] == 8).astype(float) + 1e-9, 2))
    assert (alone.predict(DIGITS[frequent]) == 8).all()


def test_a_regression_needs_numbers(dask_client: Any, split: Any) -> None:
    with pytest.raises(InvalidData, match="y: numbers are needed"):
        RandomForestRegressor(4).fit(split(np.zeros((100, 2)), 2), split(np.array(["a", "b"] * 50), 2))


def test_an_interruption_ends_it_on_the_workers_too(dask_client: Any, split: Any) -> None:
    """Dask waits until a running task ends; the trees of a block would take minutes."""

    def growing(dask_worker: Any) -> int:
        return sum("grow" in str(task.key) or "applied" in str(task.key) for task in dask_worker.state.tasks.values())

    X = np.random.default_rng(0).random((20_000, 10))
    data, y = split(X, 2), split(X[:, 0], 2)
    timer = threading.Timer(4, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        RandomForestRegressor(4000).fit(data, y)
    deadline = time.monotonic() + 20
    while sum(dask_client.run(growing).values()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert sum(dask_client.run(growing).values()) == 0
    trees = RandomForestRegressor(4).fit(split(X[:100], 2), split(X[:100, 0], 2)).estimators_
    assert {type(tree) for tree in trees} == {sklearn.tree.DecisionTreeRegressor}


def test_shares_of_trees() -> None:
    assert trees_per_block(100, [10, 10]) == [50, 50]
    assert trees_per_block(10, [1, 0, 97, 2]) == [1, 0, 8, 1]
    assert sum(trees_per_block(101, [3, 5, 7, 11])) == 101


def test_bad_input(dask_client: Any, split: Any) -> None:
    X, y = split(DIGITS, 3), split(LABELS, 3)
    holed = DIGITS.copy()
    holed[5, 5] = np.nan
    with pytest.raises(InvalidData, match="X: contains NaN"):
        RandomForestClassifier(5).fit(split(holed, 3), y)
    with pytest.raises(InvalidData, match="y: contains NaN"):
        RandomForestRegressor(5).fit(X, split(np.where(LABELS, 1.0, np.nan), 3))
    for wrong in (0, "many"):
        with pytest.raises(InvalidParameter, match="n_estimators: must be"):
            RandomForestClassifier(wrong).fit(X, y)
    with pytest.raises(InvalidParameter, match="2 trees cannot grow on 3 blocks"):
        RandomForestClassifier(2).fit(X, y)
    with pytest.raises(InvalidParameter, match="no rows of the classes"):
        RandomForestClassifier(5, class_weight={11: 1}).fit(X, y)
    with pytest.raises(NotSupported, match="oob_score"):
        RandomForestClassifier(5, oob_score=True).fit(X, y)
    with pytest.raises(InvalidData, match="continuous"):
        RandomForestClassifier(5).fit(X, y / 3)
