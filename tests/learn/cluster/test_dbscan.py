"""DBSCAN finds exactly what scikit-learn finds, however the rows are cut."""

from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client
from gpucluster.learn import DBSCAN
from gpucluster.learn.cluster import neighbourhoods
from gpucluster.learn.cluster.density import merge_links
from gpucluster.learn.cluster.neighbourhoods import regions
from gpucluster.learn.errors import InvalidData
from gpucluster.learn.rows import table
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN as LocalDBSCAN
from sklearn.datasets import load_digits, load_sample_image

from tests.learn.shared import refused

pytestmark = pytest.mark.usefixtures("in_process")

DIGITS = load_digits().data
PIXELS = load_sample_image("flower.jpg")[::12, ::12].reshape(-1, 3) / 255
SPOTS = np.concatenate([np.random.default_rng(seed).normal(seed, 0.3, (150, 2)) for seed in range(5)])
SHUFFLED = np.random.default_rng(0).permutation(SPOTS)
CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "pixels": (PIXELS, {"eps": 0.02}),
    "few neighbours": (PIXELS, {"eps": 0.008, "min_samples": 3}),
    "digits": (DIGITS, {"eps": 20.0, "min_samples": 6}),
    "manhattan": (DIGITS[:700], {"eps": 100.0, "metric": "manhattan", "algorithm": "ball_tree"}),
    "all noise": (DIGITS[:300], {"eps": 1.0}),
    "all one": (DIGITS[:300], {"eps": 100.0}),
    "sorted spots": (SPOTS, {"eps": 0.1, "min_samples": 4}),
    "shuffled spots": (SHUFFLED, {"eps": 0.1, "min_samples": 4}),
    "in squares": (SHUFFLED, {"eps": 0.1, "metric": "chebyshev"}),
    "in diamonds": (SHUFFLED.astype(np.float32), {"eps": 0.15, "metric": "minkowski", "p": 1}),
    "by another power": (SHUFFLED, {"eps": 0.1, "metric": "minkowski", "p": 3}),
    "on a grid, where distances are eps but for rounding": (SHUFFLED.round(1), {"eps": 0.1, "min_samples": 25}),
    "far from zero": (SHUFFLED + 1e8, {"eps": 0.1}),
    "one place": (np.ones((60, 2)), {"eps": 0.1}),
}


def expect_equal(ours: DBSCAN, theirs: LocalDBSCAN) -> None:
    np.testing.assert_array_equal(np.asarray(ours.labels_), theirs.labels_)
    np.testing.assert_array_equal(ours.core_sample_indices_, theirs.core_sample_indices_)
    np.testing.assert_array_equal(np.asarray(ours.components_).reshape(theirs.components_.shape), theirs.components_)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("n_blocks", [None, 1, 2, 3, 7])
def test_same_as_scikit_learn(split: Any, name: str, n_blocks: int | None) -> None:
    X, options = CASES[name]
    ours = DBSCAN(**options).fit(X if n_blocks is None else split(X, n_blocks, empty=True))
    expect_equal(ours, LocalDBSCAN(**options).fit(X))
    expect_equal(ours, ours.get_combined_model())


def test_rows_on_the_border_of_two_clusters(split: Any) -> None:
    """They belong to the cluster with the smaller number, as in scikit-learn."""
    X = np.array([[0.0], [0.1], [0.2], [1.0], [1.8], [1.9], [2.0]])
    for rows in (X, X[::-1].copy(), np.roll(X, 3, axis=0)):
        theirs = LocalDBSCAN(eps=0.85, min_samples=4).fit(rows)
        assert (theirs.labels_ >= 0).all()
        assert len(theirs.core_sample_indices_) < 7
        expect_equal(DBSCAN(eps=0.85, min_samples=4).fit(split(rows, 3)), theirs)


def test_weights(split: Any) -> None:
    weights = np.random.default_rng(0).integers(0, 4, len(PIXELS)).astype(float)
    theirs = LocalDBSCAN(eps=0.01, min_samples=8).fit(PIXELS, sample_weight=weights)
    for n_blocks in (1, 3):
        ours = DBSCAN(eps=0.01, min_samples=8).fit(split(PIXELS, n_blocks), sample_weight=split(weights, n_blocks))
        expect_equal(ours, theirs)


@pytest.mark.full
def test_on_workers(dask_client: Client, split: Any) -> None:
    with dask.config.set(scheduler="distributed"):
        for name in CASES:
            X, options = CASES[name]
            ours = DBSCAN(**options).fit(split(X, 5, empty=True))
            assert isinstance(ours.labels_, da.Array)
            expect_equal(ours, LocalDBSCAN(**options).fit(X))


def test_data_frames_of_unknown_length() -> None:
    frame = pd.DataFrame(PIXELS, columns=["red", "green", "blue"])
    table = dd.from_pandas(frame, npartitions=3)
    ours = DBSCAN(eps=0.02).fit(table[table.red > 0.3])
    expect_equal(ours, LocalDBSCAN(eps=0.02).fit(frame[frame.red > 0.3].to_numpy()))
    assert list(ours.feature_names_in_) == ["red", "green", "blue"]


@pytest.mark.parametrize("algorithm", ["brute", "auto"])
def test_pairs_above_the_limit_are_searched_again(split: Any, monkeypatch: pytest.MonkeyPatch, algorithm: str) -> None:
    weights = np.random.default_rng(0).integers(0, 3, len(SPOTS))
    options: dict[str, Any] = {"eps": 0.2, "algorithm": algorithm}
    theirs = LocalDBSCAN(**options).fit(SHUFFLED, sample_weight=weights)
    for kept in (0, 100):
        monkeypatch.setattr(neighbourhoods, "KEPT_PAIRS", 4 * kept + 4)
        expect_equal(DBSCAN(**options).fit(SHUFFLED, sample_weight=weights), theirs)
        expect_equal(DBSCAN(**options).fit(split(SHUFFLED, 3), sample_weight=split(weights, 3)), theirs)


@given(st.integers(1, 9), st.integers(0, 2**32))
@settings(max_examples=40)
def test_every_row_is_in_one_region_and_near_its_neighbours(n_regions: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    X = random.integers(0, 6, (random.integers(0, 50), 2)) * random.choice([1.0, 0.1])
    cut = regions(X[::3], n_regions)
    inside = np.stack([region.holds(X) for region in cut])
    assert len(cut) == n_regions
    assert (inside.sum(axis=0) == 1).all()
    apart = np.abs(X[:, None] - X[None]).max(axis=2)
    for region, own in zip(cut, inside, strict=True):
        near = region.near(X, 0.1)
        assert near[own].all()
        assert near[(apart[own] <= 0.1).any(axis=0)].all()


@given(st.integers(1, 40), st.integers(0, 2**32))
@settings(max_examples=60)
def test_links_of_two_ranks_are_joined(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    one, other = (np.minimum(np.arange(n), random.integers(0, n, n)) for _ in range(2))
    found = merge_links(one, other)
    expected = np.arange(n)
    for _ in range(n):
        for links in (one, other):
            for row, first in enumerate(links):
                expected[[row, first]] = min(expected[row], expected[first])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n_features", [2, 20])
def test_distances_that_overflow_are_refused(split: Any, n_features: int) -> None:
    rows = np.random.default_rng(0).random((60, n_features))
    theirs = LocalDBSCAN(eps=0.3, min_samples=3).fit(rows).labels_
    model = DBSCAN(eps=3e149, min_samples=3)
    np.testing.assert_array_equal(model.fit(split(rows * 1e150, 3)).labels_, theirs)
    refused(InvalidData, "X: distances .* overflow", lambda: model.set_params(eps=3e159).fit(split(rows * 1e160, 3)))


def test_rows_on_gpus_are_searched_in_host_memory(split: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    brought = []
    monkeypatch.setattr(table, "on_gpus", lambda data: True)
    monkeypatch.setattr(table, "to_numpy", lambda block: brought.append(len(block)) or np.asarray(block))
    expected = LocalDBSCAN(eps=0.1, min_samples=4).fit(SPOTS).labels_
    np.testing.assert_array_equal(DBSCAN(eps=0.1, min_samples=4).fit(split(SPOTS, 3)).labels_.compute(), expected)
    assert sum(brought) >= len(SPOTS)
