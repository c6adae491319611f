"""Neighbours against scikit-learn's brute force on digits, for several partitionings."""

import os
import pickle
import signal
from copy import deepcopy
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import sklearn.neighbors
from distributed import Client, futures_of
from gpucluster.learn import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors
from gpucluster.learn.errors import InvalidData
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_digits
from sklearn.metrics import pairwise_distances

from tests.conftest import until
from tests.learn.shared import refused

DIGITS, LABELS = load_digits(return_X_y=True)
TRAIN, QUERIES = DIGITS[:1500], DIGITS[1500:]
LABELS_TRAIN = LABELS[:1500]
PARTITIONINGS = [(1, False), (2, False), (3, True), (7, False), (7, True)]


def nearest_of(train: Any, queries: Any, k: int, metric: str = "euclidean") -> tuple[Any, Any]:
    """Return neighbours by brute force; among equal distances, lower row numbers come first."""
    distances = pairwise_distances(queries, train, metric=metric)
    order = np.lexsort((np.broadcast_to(np.arange(len(train)), distances.shape), distances), axis=-1)[:, :k]
    return np.take_along_axis(distances, order, axis=1), order


@pytest.mark.parametrize(("n_blocks", "empty"), PARTITIONINGS)
def test_the_same_neighbours_for_any_partitioning(dask_client: Any, split: Any, n_blocks: int, empty: bool) -> None:
    distances, rows = (
        NearestNeighbors(algorithm="brute")
        .fit(split(TRAIN, n_blocks, empty=empty))
        .kneighbors(split(QUERIES, n_blocks, empty=empty))
    )
    assert isinstance(distances, da.Array)
    assert isinstance(rows, da.Array)
    assert rows.shape == (len(QUERIES), 5)
    expected, numbers = nearest_of(TRAIN, QUERIES, 5)
    np.testing.assert_allclose(distances.compute(), expected, rtol=1e-10)
    np.testing.assert_array_equal(rows.compute(), numbers)


def test_distances_are_scikit_learns(dask_client: Any, split: Any) -> None:
    theirs, numbers = sklearn.neighbors.NearestNeighbors(algorithm="brute").fit(TRAIN).kneighbors(QUERIES)
    ours, rows = NearestNeighbors(algorithm="brute").fit(split(TRAIN, 3)).kneighbors(QUERIES)
    assert isinstance(ours, np.ndarray)
    np.testing.assert_array_equal(ours, theirs)
    # The order of two rows at the same distance is arbitrary in scikit-learn.
    clear = (np.diff(theirs, axis=1) > 0).all(axis=1)
    assert clear.mean() > 0.8
    np.testing.assert_array_equal(rows[clear][:, :4], numbers[clear][:, :4])


@pytest.mark.full
@pytest.mark.parametrize("metric", ["manhattan", "cosine", "chebyshev", "minkowski"])
def test_other_distances(dask_client: Any, split: Any, metric: str) -> None:
    p = 3 if metric == "minkowski" else 2
    theirs, _ = sklearn.neighbors.NearestNeighbors(algorithm="brute", metric=metric, p=p).fit(TRAIN).kneighbors(QUERIES)
    ours, _ = NearestNeighbors(algorithm="brute", metric=metric, p=p).fit(split(TRAIN, 3)).kneighbors(QUERIES)
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-12)


def test_trees_find_the_same(dask_client: Any, split: Any) -> None:
    few = TRAIN[:, 20:24]
    expected, numbers = nearest_of(few, QUERIES[:, 20:24], 7)
    for algorithm in ("auto", "kd_tree", "ball_tree"):
        model = NearestNeighbors(n_neighbors=7, algorithm=algorithm).fit(split(few, 3, empty=True))
        distances, rows = model.kneighbors(QUERIES[:, 20:24])
        np.testing.assert_allclose(distances, expected, rtol=1e-10)
        np.testing.assert_array_equal(rows, numbers)


@pytest.mark.parametrize("lazy", [True, False])
def test_training_rows_are_not_their_own_neighbours(dask_client: Any, split: Any, lazy: bool) -> None:
    doubled = np.concatenate([TRAIN[:200], TRAIN[:50]])
    model = NearestNeighbors(n_neighbors=3).fit(split(doubled, 3, empty=True) if lazy else doubled)
    distances, rows = model.kneighbors()
    assert isinstance(rows, da.Array) is lazy
    distances, rows = np.asarray(distances), np.asarray(rows)
    assert (rows != np.arange(250)[:, None]).all()
    expected = pairwise_distances(doubled)
    np.fill_diagonal(expected, np.inf)
    np.testing.assert_allclose(distances, np.sort(expected, axis=1)[:, :3], rtol=1e-10, atol=1e-5)


def test_ties_are_in_the_order_of_rows(dask_client: Any, split: Any) -> None:
    same = np.zeros((400, 3))
    _, rows = NearestNeighbors(n_neighbors=6).fit(split(same, 7)).kneighbors(np.ones((2, 3)))
    np.testing.assert_array_equal(rows, [range(6)] * 2)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_classes(dask_client: Any, split: Any, weights: str) -> None:
    words = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])[LABELS]
    theirs = sklearn.neighbors.KNeighborsClassifier(weights=weights).fit(TRAIN, words[:1500])
    ours = KNeighborsClassifier(weights=weights).fit(split(TRAIN, 3, empty=True), split(words[:1500], 3, empty=True))
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    predicted = ours.predict(split(QUERIES, 2))
    assert isinstance(predicted, da.Array)
    assert predicted.dtype == words.dtype
    assert np.mean(predicted.compute() != theirs.predict(QUERIES)) < 0.01  # ties
    shares = ours.predict_proba(split(QUERIES, 2)).compute()
    np.testing.assert_allclose(shares.mean(axis=0), theirs.predict_proba(QUERIES).mean(axis=0), atol=5e-3)
    score = theirs.score(QUERIES, words[1500:])
    assert ours.score(split(QUERIES, 2), split(words[1500:], 3)) == pytest.approx(score, abs=0.01)
    combined = ours.get_combined_model()
    assert type(combined) is sklearn.neighbors.KNeighborsClassifier
    np.testing.assert_array_equal(combined.classes_, ours.classes_)
    assert np.mean(combined.predict(QUERIES) != predicted.compute()) < 0.01


@pytest.mark.full
def test_means(dask_client: Any, split: Any) -> None:
    X, y = load_diabetes(return_X_y=True)
    y2 = np.stack([y, -y], axis=1)
    for target in (y, y2):
        for weights in ("uniform", "distance", lambda distances: np.exp(-distances)):
            theirs = sklearn.neighbors.KNeighborsRegressor(weights=weights).fit(X[:300], target[:300])
            ours = KNeighborsRegressor(weights=weights).fit(split(X[:300], 3), split(target[:300], 3))
            predicted = ours.predict(split(X[300:], 2)).compute()
            assert predicted.shape == target[300:].shape
            np.testing.assert_allclose(predicted, theirs.predict(X[300:]), rtol=1e-8)
    assert ours.score(split(X[300:], 2), split(y2[300:], 2)) == pytest.approx(theirs.score(X[300:], y2[300:]))


@pytest.mark.full
def test_data_frames(dask_client: Any) -> None:
    values = DIGITS[:300, 20:26] + np.random.default_rng(0).random((300, 6))  # no two distances are the same
    frame = pd.DataFrame(values, columns=list("abcdef"), index=np.arange(300) * 2)
    labels = pd.Series(LABELS[:300], index=frame.index)
    model = KNeighborsClassifier(n_neighbors=3).fit(
        dd.from_pandas(frame, npartitions=3), dd.from_pandas(labels, npartitions=3)
    )
    theirs = sklearn.neighbors.KNeighborsClassifier(n_neighbors=3).fit(frame, labels)
    queries = dd.from_pandas(frame, npartitions=2)
    predicted = model.predict(queries)
    assert isinstance(predicted, dd.Series)
    assert predicted.compute().index.equals(frame.index)
    np.testing.assert_array_equal(predicted.compute(), theirs.predict(frame))
    assert model.score(queries, dd.from_pandas(labels, npartitions=2)) == theirs.score(frame, labels)
    shares = model.predict_proba(queries)
    assert isinstance(shares, dd.DataFrame)
    assert shares.compute().shape == (300, 10)
    distances = model.kneighbors(queries, return_distance=True)[0]
    np.testing.assert_allclose(distances.compute(), theirs.kneighbors(frame)[0], atol=1e-6)
    refused(InvalidData, "columns", lambda: model.predict(queries[list("fedcba")]))


@pytest.mark.full
@pytest.mark.parametrize(("n_blocks", "empty"), [(1, False), (4, True)])
def test_rows_within_a_radius(dask_client: Any, split: Any, n_blocks: int, empty: bool) -> None:
    theirs = sklearn.neighbors.NearestNeighbors(radius=22.0).fit(TRAIN[:600])
    lazy = NearestNeighbors(radius=22.0).fit(split(TRAIN[:600], n_blocks, empty=empty))
    for ours in (lazy, NearestNeighbors(radius=22.0).fit(TRAIN[:600])):
        for queries in (None, QUERIES[:50], split(QUERIES[:50], 2, empty=empty)):
            distances, rows = ours.radius_neighbors(queries, sort_results=True)
            expected, _ = theirs.radius_neighbors(None if queries is None else QUERIES[:50], sort_results=True)
            assert isinstance(rows, da.Array) == (ours is lazy and queries is None or isinstance(queries, da.Array))
            for found, wanted in zip(np.asarray(distances), expected, strict=True):
                np.testing.assert_allclose(found, wanted, atol=1e-6)
            by_number = np.asarray(ours.radius_neighbors(queries, return_distance=False))
            for found, other in zip(by_number, np.asarray(rows), strict=True):
                np.testing.assert_array_equal(found, np.sort(other))
    assert {len(found) for found in lazy.radius_neighbors(QUERIES[:50], 1e-3, return_distance=False)} == {0}


def test_classes_in_several_columns(dask_client: Any, split: Any) -> None:
    both = np.stack([LABELS_TRAIN, LABELS_TRAIN % 3], axis=1)
    apart = TRAIN + np.random.default_rng(0).random(TRAIN.shape) / 100  # no two rows at the same distance
    theirs = sklearn.neighbors.KNeighborsClassifier(3, algorithm="brute").fit(apart, both)
    lazy = KNeighborsClassifier(3, algorithm="brute").fit(split(apart, 3, empty=True), split(both, 3, empty=True))
    in_memory = KNeighborsClassifier(3, algorithm="brute").fit(apart, both)
    for ours in (lazy, in_memory):
        np.testing.assert_array_equal(ours.predict(QUERIES), theirs.predict(QUERIES))
        for mine, other in zip(ours.predict_proba(split(QUERIES, 2)), theirs.predict_proba(QUERIES), strict=True):
            np.testing.assert_allclose(mine.compute(), other)
        assert [list(one) for one in ours.classes_] == [list(one) for one in theirs.classes_]
        assert ours.predict(split(QUERIES, 2)).shape == (len(QUERIES), 2)
    np.testing.assert_array_equal(lazy.get_combined_model().predict(QUERIES), theirs.predict(QUERIES))


@pytest.mark.full
@pytest.mark.parametrize("kind", [KNeighborsClassifier, KNeighborsRegressor])
def test_copies_work_on_the_same_cluster(dask_client: Any, split: Any, kind: Any) -> None:
    ours = kind().fit(split(TRAIN[:200], 3), split(LABELS_TRAIN[:200], 3))
    expected = ours.predict(QUERIES[:9])
    lazy = split(QUERIES[:9], 2).map_blocks(lambda X, model: model.predict(X), ours, drop_axis=1, dtype=float)
    task = dask_client.submit(lambda model: model.predict(QUERIES[:9]), ours)
    [in_a_task, in_blocks] = dask_client.gather([task, dask_client.compute(lazy)])
    del lazy, task
    unpickled, copied = pickle.loads(pickle.dumps(ours)), deepcopy(ours)
    keys = {future.key for future in futures_of(ours._training.blocks)}
    del ours
    for found in (in_a_task, in_blocks, unpickled.predict(QUERIES[:9]), copied.predict(QUERIES[:9])):
        np.testing.assert_array_equal(found, expected)
    assert type(clone(copied)) is kind
    np.testing.assert_array_equal(unpickled.get_combined_model().predict(QUERIES[:9]), expected)
    del copied, unpickled
    until(lambda: not keys & set(dask_client.who_has()), timeout=30)


def test_copies_without_the_client_point_to_the_combined_model(_cluster: Any, split: Any) -> None:
    with Client(_cluster):
        written = pickle.dumps(NearestNeighbors().fit(split(TRAIN[:20], 2)))
    copy = pickle.loads(written)
    for use in (lambda: copy.kneighbors(QUERIES[:2]), copy.kneighbors, copy.get_combined_model):
        with pytest.raises(InvalidData, match=r"not connected to.* get_combined_model\(\)"):
            use()


def test_unpickled_collections_can_be_fitted(dask_client: Any, split: Any) -> None:
    kept = split(TRAIN[:200], 2).persist()
    search = NearestNeighbors().fit(pickle.loads(pickle.dumps(kept)))
    np.testing.assert_array_equal(search.kneighbors(QUERIES[:3])[1], nearest_of(TRAIN[:200], QUERIES[:3], 5)[1])


def test_nothing_is_gathered(dask_client: Any, split: Any) -> None:
    """Fitting brings nothing but lengths to the client, and lazy queries compute nothing."""
    model = NearestNeighbors().fit(split(TRAIN, 3))
    rows = model.kneighbors(split(QUERIES, 2), return_distance=False)
    assert not any(isinstance(value, np.ndarray) and value.size > 10 for value in vars(model).values())
    assert rows.numblocks == (2, 1)


def test_training_rows_of_a_regression_stay_on_the_workers(dask_client: Any, split: Any, monkeypatch: Any) -> None:
    """Only the shape and the type of the targets come to the client."""
    gathered: list[Any] = []
    gather = type(dask_client).gather

    def noted(self: Any, *arguments: Any, **options: Any) -> Any:
        found = gather(self, *arguments, **options)
        gathered.append(found)
        return found

    monkeypatch.setattr(type(dask_client), "gather", noted)
    X = np.random.default_rng(0).random((3000, 50))
    KNeighborsRegressor().fit(split(X, 3), split(X[:, 0], 3))
    assert gathered
    assert len(pickle.dumps(gathered)) < X.nbytes / 100


@pytest.mark.processes
@pytest.mark.full
def test_killed_worker_does_not_change_result(own_client: Client) -> None:
    """Dask computes its part of the training data again."""
    model = NearestNeighbors(algorithm="brute").fit(da.from_array(DIGITS, chunks=(300, -1)))
    before = model.kneighbors(DIGITS[:50])
    os.kill(next(iter(own_client.run(os.getpid).values())), signal.SIGKILL)
    for one, other in zip(before, model.kneighbors(DIGITS[:50]), strict=True):
        np.testing.assert_array_equal(one, other)


def test_data_in_memory(split: Any) -> None:
    model = KNeighborsClassifier(algorithm="brute").fit(TRAIN, LABELS_TRAIN)
    theirs = sklearn.neighbors.KNeighborsClassifier(algorithm="brute").fit(TRAIN, LABELS_TRAIN)
    predicted = model.predict(QUERIES)
    assert isinstance(predicted, np.ndarray)
    assert np.mean(predicted != theirs.predict(QUERIES)) < 0.01
    lazily = model.predict(split(QUERIES, 2))
    np.testing.assert_array_equal(lazily.compute(scheduler="sync"), predicted)
