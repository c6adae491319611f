"""Forests equal scikit-learn's for any blocks and order of rows, except with trees on one block each."""

from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
import sklearn.tree
from gpucluster.dask_internals.machine import memory_bytes
from gpucluster.learn import RandomForestClassifier, RandomForestRegressor
from gpucluster.learn.ensemble import growing
from gpucluster.learn.ensemble.growing import trees_of
from sklearn.datasets import load_diabetes, load_digits

from tests.conftest import until
from tests.learn.shared import interrupted

DIGITS, LABELS = load_digits(return_X_y=True)
ORDER = np.random.default_rng(0).permutation(len(DIGITS))
TRAIN, TEST = ORDER[:1300], ORDER[1300:]
BY_CLASS = TRAIN[np.argsort(LABELS[TRAIN], kind="stable")]
WORDS = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])[LABELS]


def test_same_forest_as_scikit_learn(dask_client: Any, split: Any) -> None:
    """Tree by tree, for shuffled rows and rows sorted by class, in one block and in uneven ones."""
    for rows, cuts in ((TRAIN, [(1, False), (7, True)]), (BY_CLASS, [(4, False)])):
        theirs = sklearn.ensemble.RandomForestClassifier(20, random_state=3).fit(DIGITS[rows], WORDS[rows])
        expected = theirs.predict_proba(DIGITS[TEST])
        for n_blocks, empty in cuts:
            X, y = split(DIGITS[rows], n_blocks, empty=empty), split(WORDS[rows], n_blocks, empty=empty)
            ours = RandomForestClassifier(20, random_state=3).fit(X, y)
            predicted = ours.predict_proba(split(DIGITS[TEST], 2, empty=empty))
            assert isinstance(predicted, da.Array)
            np.testing.assert_array_equal(predicted.compute(), expected)
        logarithms = ours.predict_log_proba(split(DIGITS[TEST], 2, empty=empty)).compute()
        assert (np.isneginf(logarithms) == (expected == 0)).all()
        np.testing.assert_allclose(np.exp(logarithms), expected, atol=1e-15)
        np.testing.assert_array_equal(ours.feature_importances_, theirs.feature_importances_)
    in_memory = RandomForestClassifier(20, random_state=3).fit(DIGITS[rows], WORDS[rows])
    np.testing.assert_array_equal(in_memory.predict_proba(DIGITS[TEST]), expected)


def test_trees_on_the_rows_of_one_block(dask_client: Any, split: Any) -> None:
    """No rows move. Accuracy is the same if blocks are alike, and low if each block has only some classes."""
    alike = RandomForestClassifier(40, random_state=0, tree_rows="block").fit(
        split(DIGITS[TRAIN], 3, empty=True), split(LABELS[TRAIN], 3, empty=True)
    )
    assert len(alike.estimators_) == 40
    theirs = sklearn.ensemble.RandomForestClassifier(40, random_state=0).fit(DIGITS[TRAIN], LABELS[TRAIN])
    good = theirs.score(DIGITS[TEST], LABELS[TEST])
    assert alike.score(DIGITS[TEST], LABELS[TEST]) == pytest.approx(good, abs=0.05)
    apart = RandomForestClassifier(40, random_state=0, tree_rows="block").fit(
        split(DIGITS[BY_CLASS], 4), split(LABELS[BY_CLASS], 4)
    )
    np.testing.assert_array_equal(apart.classes_, range(10))
    assert all(tree.tree_.value.shape[2] == 10 for tree in apart.estimators_)
    assert apart.score(DIGITS[TEST], LABELS[TEST]) < good - 0.1
    few = RandomForestClassifier(2, random_state=0, tree_rows="block").fit(split(DIGITS, 5), split(LABELS, 5))
    assert len(few.estimators_) == 2


def test_fewer_trees_than_blocks_and_workers(dask_client: Any, split: Any) -> None:
    ours = RandomForestRegressor(1, random_state=0).fit(split(DIGITS, 5), split(LABELS, 5))
    theirs = sklearn.ensemble.RandomForestRegressor(1, random_state=0).fit(DIGITS, LABELS)
    np.testing.assert_array_equal(ours.predict(DIGITS), theirs.predict(DIGITS))


def test_random_state_advances_as_in_scikit_learn(dask_client: Any, split: Any) -> None:
    ours, theirs = np.random.RandomState(5), np.random.RandomState(5)
    for _ in range(2):
        mine = RandomForestRegressor(3, random_state=ours).fit(split(DIGITS[:300], 2), split(LABELS[:300], 2))
        other = sklearn.ensemble.RandomForestRegressor(3, random_state=theirs).fit(DIGITS[:300], LABELS[:300])
        np.testing.assert_array_equal(mine.predict(DIGITS), other.predict(DIGITS))


def test_rows_that_do_not_fit_are_sampled(split: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample is drawn from all blocks, so sorted rows do no harm; classes outside the sample are known."""
    labels = LABELS[BY_CLASS].copy()
    labels[-1] = 77
    with dask.config.set(scheduler="threads"):
        monkeypatch.setattr(growing, "REPLICA_SHARE", 600 * 65 * 4 / memory_bytes())
        X, y = split(DIGITS[BY_CLASS], 4), split(labels, 4)
        with pytest.warns(RuntimeWarning, match=r"grows on \d{3} rows, drawn at random"):
            ours = RandomForestClassifier(40, random_state=0).fit(X, y)
        assert 77 in ours.classes_
        assert ours.score(DIGITS[TEST], LABELS[TEST]) > 0.9


def test_several_targets(dask_client: Any, split: Any) -> None:
    X, y = load_diabetes(return_X_y=True)
    y2 = np.stack([y, -y], axis=1)
    theirs = sklearn.ensemble.RandomForestRegressor(10, random_state=0).fit(X[:300], y2[:300])
    ours = RandomForestRegressor(10, random_state=0).fit(split(X[:300], 3), split(y2[:300], 3))
    predicted = ours.predict(split(X[300:], 2)).compute()
    np.testing.assert_allclose(predicted, theirs.predict(X[300:]))
    assert ours.score(split(X[300:], 2), split(y2[300:], 2)) == pytest.approx(theirs.score(X[300:], y2[300:]))


def test_data_frames(dask_client: Any) -> None:
    frame = pd.DataFrame(DIGITS[TRAIN], columns=[f"p{number}" for number in range(64)])
    labels = pd.Series(WORDS[TRAIN])
    ours = RandomForestClassifier(10, random_state=0).fit(
        dd.from_pandas(frame, npartitions=2), dd.from_pandas(labels, npartitions=2)
    )
    predicted = ours.predict(dd.from_pandas(frame, npartitions=3))
    assert isinstance(predicted, dd.Series)
    assert np.mean(predicted.compute() == labels) > 0.97
    assert list(ours.get_combined_model().feature_names_in_) == list(frame.columns)
    assert ours.predict_proba(dd.from_pandas(frame, npartitions=3)).compute().shape == (1300, 10)


@pytest.mark.full
def test_weights_of_classes_and_rows(dask_client: Any, split: Any) -> None:
    rare, frequent = np.flatnonzero(LABELS == 3)[:12], np.flatnonzero(LABELS == 8)
    few = np.concatenate([rare[:6], frequent[:87], rare[6:], frequent[87:]])
    is_rare = LABELS[few] == 3
    X, y = split(DIGITS[few], 2), split(LABELS[few], 2)
    rows = np.random.default_rng(0).random(len(few))
    for weight in ("balanced", "balanced_subsample", {3: 10.0, 8: 1.0}):
        options: dict[str, Any] = {"random_state": 0, "max_depth": 2, "class_weight": weight}
        ours = RandomForestClassifier(20, **options).fit(X, y, split(rows, 2))
        theirs = sklearn.ensemble.RandomForestClassifier(20, **options).fit(DIGITS[few], LABELS[few], rows)
        np.testing.assert_array_equal(ours.predict_proba(DIGITS[few]), theirs.predict_proba(DIGITS[few]))
        blocks = RandomForestClassifier(20, tree_rows="block", **options).fit(X, y)
        mine, other = blocks.predict_proba(DIGITS[few])[:, 0], theirs.predict_proba(DIGITS[few])[:, 0]
        assert mine[is_rare].mean() == pytest.approx(other[is_rare].mean(), abs=0.2)
    alone = RandomForestClassifier(10, random_state=0).fit(X, y, split((LABELS[few] == 8).astype(float) + 1e-9, 2))
    assert (alone.predict(DIGITS[frequent]) == 8).all()


@pytest.mark.full
def test_an_interruption_stops_the_workers(dask_client: Any, split: Any) -> None:
    """Dask waits for the end of a running task, and these trees would take minutes."""

    def growing(dask_worker: Any) -> int:
        return sum("rank" in str(task.key) for task in dask_worker.state.tasks.values())

    X = np.random.default_rng(0).random((20_000, 10))
    data, y = split(X, 2), split(X[:, 0], 2)
    with interrupted(4):
        RandomForestRegressor(4000).fit(data, y)
    until(lambda: sum(dask_client.run(growing).values()) == 0, timeout=20)
    trees = RandomForestRegressor(4).fit(split(X[:100], 2), split(X[:100, 0], 2)).estimators_
    assert {type(tree) for tree in trees} == {sklearn.tree.DecisionTreeRegressor}


def test_shares_of_trees() -> None:
    assert trees_of(100, [10, 10]) == [50, 50]
    assert trees_of(10, [1, 0, 97, 2]) == [1, 0, 8, 1]
    assert sum(trees_of(101, [3, 5, 7, 11])) == 101
    assert trees_of(2, [3, 5, 0, 11]) == [0, 1, 0, 1]
