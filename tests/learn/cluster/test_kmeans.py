"""k-means finds what scikit-learn finds, however the rows are cut."""

import pickle
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client
from gpucluster.learn import KMeans
from sklearn.cluster import KMeans as LocalKMeans
from sklearn.datasets import load_digits, load_sample_image
from sklearn.exceptions import ConvergenceWarning

pytestmark = pytest.mark.usefixtures("in_process")

DIGITS = load_digits().data
PIXELS = load_sample_image("china.jpg")[::8, ::8].reshape(-1, 3) / 255
TOLERANCE = {np.float64: 1e-9, np.float32: 2e-5}
ARRAY_STARTS = {"digits": DIGITS[:10], "pixels": PIXELS[:: len(PIXELS) // 8][:8]}


def expect_equal(ours: KMeans, theirs: LocalKMeans, tolerance: float) -> None:
    scale = np.abs(theirs.cluster_centers_).max()
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=0, atol=10 * tolerance * scale)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=tolerance)
    assert ours.n_iter_ == theirs.n_iter_


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ["digits", "pixels"])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_as_scikit_learn_from_the_same_start(dtype: Any, name: str, weighted: bool) -> None:
    X = {"digits": DIGITS, "pixels": PIXELS}[name].astype(dtype)
    weights = np.random.default_rng(0).integers(0, 4, len(X)).astype(dtype) if weighted else None
    parameters = {"init": ARRAY_STARTS[name].astype(dtype), "n_init": 1}
    theirs = LocalKMeans(len(ARRAY_STARTS[name]), **parameters).fit(X, sample_weight=weights)
    ours = KMeans(len(ARRAY_STARTS[name]), **parameters).fit(X, sample_weight=weights)
    expect_equal(ours, theirs, TOLERANCE[dtype])
    assert ours.cluster_centers_.dtype == dtype
    assert (ours.labels_ == theirs.labels_).mean() > 0.999
    assert ours.labels_.dtype == np.int32


def test_labels_are_those_of_the_fit() -> None:
    model = KMeans(10, init=ARRAY_STARTS["digits"]).fit(da.from_array(DIGITS, chunks=(600, -1)))
    fitted = model.predict(DIGITS)
    model.cluster_centers_ = model.cluster_centers_[::-1]
    np.testing.assert_array_equal(model.labels_.compute(), fitted)
    assert model.labels_ is model.labels_
    with pytest.raises(AttributeError, match="not saved"):
        assert pickle.loads(pickle.dumps(model)).labels_ is None


@pytest.mark.parametrize("n_blocks", [1, 2, 3, 7])
@pytest.mark.parametrize("init", ["k-means++", "k-means||", "random", "given"])
def test_result_does_not_depend_on_blocks(split: Any, n_blocks: int, init: str) -> None:
    parameters: dict[str, Any] = {"init": ARRAY_STARTS["digits"] if init == "given" else init, "n_init": 1}
    weights = 1.0 + np.arange(len(DIGITS)) % 3
    whole = KMeans(10, random_state=4, **parameters).fit(DIGITS, sample_weight=weights)
    cut = KMeans(10, random_state=4, **parameters).fit(
        split(DIGITS, n_blocks, empty=True), sample_weight=split(weights, n_blocks, empty=True)
    )
    expect_equal(cut, whole, 1e-9)
    np.testing.assert_array_equal(cut.labels_.compute(), whole.labels_)


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_workers_find_the_same(dask_client: Client, split: Any, n_blocks: int) -> None:
    with dask.config.set(scheduler="distributed"):
        X = split(DIGITS, n_blocks, empty=True)
        ours = KMeans(10, random_state=1).fit(X)
        whole = KMeans(10, random_state=1).fit(DIGITS)
        expect_equal(ours, whole, 1e-9)
        assert isinstance(ours.labels_, da.Array)
        np.testing.assert_array_equal(ours.labels_.compute(), whole.labels_)
        assert ours.score(X) == pytest.approx(-whole.inertia_, rel=1e-9)


def test_float32_far_from_zero_loses_nothing(split: Any) -> None:
    start = ARRAY_STARTS["digits"]
    near = KMeans(10, init=start).fit(DIGITS)
    far = (DIGITS + 1e4).astype(np.float32)
    for X in (far, split(far, 3)):
        ours = KMeans(10, init=start + 1e4).fit(X)
        assert ours.inertia_ == pytest.approx(near.inertia_, rel=1e-4)
        np.testing.assert_allclose(ours.cluster_centers_ - 1e4, near.cluster_centers_, atol=2e-3)
        assert (np.asarray(ours.predict(X)) == near.labels_).mean() > 0.999
    theirs = LocalKMeans(10, init=(start + 1e4).astype(np.float32), n_init=1).fit(far)
    assert KMeans(10, init=start + 1e4).fit(far).inertia_ == pytest.approx(theirs.inertia_, rel=1e-4)


@pytest.mark.parametrize("n_blocks", [1, 2, 5])
def test_empty_clusters_get_the_farthest_points(split: Any, n_blocks: int) -> None:
    # Two of the first centres are far from all points, so they have none after the first iteration.
    start = np.concatenate([PIXELS[:3], np.full((2, 3), 50.0) + [[0], [1]]])
    theirs = LocalKMeans(5, init=start, n_init=1, tol=0).fit(PIXELS)
    ours = KMeans(5, init=start, tol=0).fit(split(PIXELS, n_blocks))
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-6)
    assert len(np.unique(ours.labels_.compute())) == 5
    # After one iteration: the order of two equally distant points may differ, their distance may not.
    ours, theirs = KMeans(5, init=start, max_iter=1).fit(split(PIXELS, n_blocks)), KMeans(5, init=start, max_iter=1)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.fit(PIXELS).cluster_centers_, atol=1e-12)


def test_cluster_empty_in_one_block_is_not_moved() -> None:
    X = np.sort(PIXELS[:, :1], axis=0)  # each block has its own range of values
    start = np.quantile(X, [0.05, 0.3, 0.6, 0.95])[:, None]
    theirs = LocalKMeans(4, init=start, n_init=1).fit(X)
    expect_equal(KMeans(4, init=start).fit(da.from_array(X, chunks=(500, 1))), theirs, 1e-9)


def test_more_clusters_than_distinct_points() -> None:
    X = np.repeat(np.array([[0.0, 1.0], [2.0, 3.0], [9.0, 4.0]]), 5, axis=0)
    with pytest.warns(ConvergenceWarning) as theirs:
        LocalKMeans(6, random_state=0).fit(X)
    for init in ("k-means++", "k-means||", "random"):
        with pytest.warns(ConvergenceWarning) as warned:
            ours = KMeans(6, init=init, n_init=3, random_state=0).fit(X)
        assert [str(each.message) for each in warned] == [str(each.message) for each in theirs]
        assert warned[0].filename == __file__
        assert np.isfinite(ours.cluster_centers_).all()
        assert ours.inertia_ == pytest.approx(0, abs=1e-12)
        assert len(np.unique(ours.labels_)) == 3
    # The float32 mean of many equal numbers is not exactly that number, so points are not exactly at their centres.
    random = np.random.default_rng(1)
    X = random.normal(0, 5, (5, 8)).astype(np.float32)[random.integers(0, 5, 300_000)]
    start = X[random.choice(len(X), 8, replace=False)]
    with pytest.warns(ConvergenceWarning, match=r"\(5\) found smaller than n_clusters \(8\)"):
        ours = KMeans(8, init=start, n_init=1, max_iter=60, tol=0).fit(X)
    assert ours.n_iter_ < 10
    assert len(np.unique(ours.cluster_centers_.round(2), axis=0)) == 5


@pytest.mark.parametrize("init", ["k-means++", "k-means||"])
def test_careful_starts_beat_random_starts(init: str) -> None:
    def after_one(init: str) -> float:
        runs = [KMeans(10, init=init, n_init=1, max_iter=1, random_state=seed).fit(DIGITS) for seed in range(7)]
        return float(np.median([run.inertia_ for run in runs]))

    theirs = [LocalKMeans(10, n_init=1, max_iter=1, random_state=seed).fit(DIGITS).inertia_ for seed in range(7)]
    assert after_one(init) < after_one("random")
    assert after_one(init) < 1.05 * float(np.median(theirs))


def test_best_of_several_runs() -> None:
    runs = KMeans(10, init="random", n_init=4, random_state=0).fit(DIGITS)
    first = KMeans(10, init="random", n_init=1, random_state=0).fit(DIGITS)
    assert runs.inertia_ <= first.inertia_
    assert -runs.score(DIGITS) == pytest.approx(runs.inertia_, rel=1e-12)
    np.testing.assert_array_equal(runs.labels_, runs.predict(DIGITS))


@pytest.mark.parametrize("init", ["k-means++", "k-means||", "random"])
def test_fewer_weighted_rows_than_clusters(split: Any, init: str) -> None:
    X, weights = np.arange(12.0).reshape(6, 2), np.array([1.0, 1, 0, 0, 0, 0])
    with pytest.warns(ConvergenceWarning, match=r"\(2\) found smaller than n_clusters \(5\)"):
        model = KMeans(5, init=init, random_state=0).fit(split(X, 3), sample_weight=split(weights, 3))
    assert model.cluster_centers_.shape == (5, 2)
    assert model.inertia_ == 0
    np.testing.assert_array_equal(np.unique(model.cluster_centers_, axis=0), X[:2])


def test_data_frames_and_unknown_lengths() -> None:
    frame = pd.DataFrame(PIXELS, columns=["red", "green", "blue"], index=np.arange(len(PIXELS)) * 2)
    table = dd.from_pandas(frame, npartitions=3)
    bright = table[table.red > 0.5]
    ours = KMeans(4, random_state=0).fit(bright)
    local = frame[frame.red > 0.5]
    whole = KMeans(4, random_state=0).fit(local)
    expect_equal(ours, whole, 1e-9)
    labels = ours.labels_.compute()
    assert labels.index.equals(local.index)
    np.testing.assert_array_equal(labels, whole.labels_)
    distances = ours.transform(bright).compute()
    assert list(distances.columns) == ["kmeans0", "kmeans1", "kmeans2", "kmeans3"]
    np.testing.assert_allclose(distances, whole.get_combined_model().transform(local), atol=1e-7)


def test_function_as_start_for_arrays_in_memory() -> None:
    def spread_rows(X: Any, n_clusters: int, random_state: Any) -> Any:
        return X[:: len(X) // n_clusters][:n_clusters]

    ours, theirs = (kind(8, init=spread_rows, n_init=1).fit(PIXELS) for kind in (KMeans, LocalKMeans))
    expect_equal(ours, theirs, 1e-9)


def test_a_pickle_does_not_contain_the_data(split: Any) -> None:
    model = KMeans(3, n_init=1, random_state=0).fit(split(np.random.default_rng(0).random((50_000, 8)), 2))
    pickled = pickle.dumps(model)
    assert len(pickled) < 10_000
    again = pickle.loads(pickled)
    assert (again.cluster_centers_ == model.cluster_centers_).all()
    with pytest.raises(AttributeError, match="labels_ is available after fit only"):
        _ = again.labels_
