"""Workloads of ``gpucluster.learn``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .arrays import SEED, random_rows
from .workload import Context, Outcome, Parameters, Workload, by_size

KMEANS_COLUMNS, CLUSTERS, ITERATIONS = 32, 16, 10
PCA_COLUMNS, COMPONENTS = 64, 8
NEIGHBORS_COLUMNS, NEIGHBORS = 16, 5


def _kmeans(X: Any) -> Outcome:
    from ..learn import KMeans

    start = np.random.default_rng(SEED).random((CLUSTERS, KMEANS_COLUMNS), dtype=np.float32)
    # Uniform random numbers have no clusters, so k-means does not converge before the last iteration.
    model = KMeans(CLUSTERS, init=start, n_init=1, max_iter=ITERATIONS, tol=0).fit(X)
    return Outcome(float(model.inertia_))


KMEANS = Workload(
    "kmeans",
    f"k-means: {CLUSTERS} clusters, {ITERATIONS} iterations from a given start, {KMEANS_COLUMNS} columns (float32)",
    by_size(rows=(50_000, 500_000, 2_000_000, 50_000_000)),
    prepare=lambda context, parameters: random_rows(context, parameters["rows"], KMEANS_COLUMNS, "float32"),
    run=_kmeans,
    memory_bytes=lambda parameters: 2 * 4 * KMEANS_COLUMNS * parameters["rows"],
    amount=lambda parameters: ITERATIONS * parameters["rows"],
    unit="rows × iterations",
    tolerance=1e-4,
)


def _kmeans_over_mpi(X: Any) -> Outcome:
    from ..learn import config_context

    with config_context(communicator="mpi"):
        return _kmeans(X)


MPI_KMEANS = replace(
    KMEANS, name="mpi-kmeans", title=f"{KMEANS.title}, over MPI", run=_kmeans_over_mpi, least_workers=2, needs_mpi=True
)


def _pca(X: Any) -> Outcome:
    from ..learn import PCA

    return Outcome(float(np.sum(_host(PCA(COMPONENTS).fit(X).explained_variance_))))


def _truncated_svd(X: Any) -> Outcome:
    from ..learn import TruncatedSVD

    return Outcome(float(np.sum(_host(TruncatedSVD(COMPONENTS).fit(X).singular_values_))))


def _host(array: Any) -> Any:
    return array.get() if hasattr(array, "get") else array


PCA = Workload(
    "pca",
    f"PCA: {COMPONENTS} components of {PCA_COLUMNS} columns (float32)",
    by_size(rows=(50_000, 500_000, 2_000_000, 25_000_000)),
    prepare=lambda context, parameters: random_rows(context, parameters["rows"], PCA_COLUMNS, "float32"),
    run=_pca,
    memory_bytes=lambda parameters: 3 * 4 * PCA_COLUMNS * parameters["rows"],
    amount=lambda parameters: parameters["rows"],
    tolerance=1e-4,
)

TRUNCATED_SVD = replace(PCA, name="truncated-svd", title=PCA.title.replace("PCA", "Truncated SVD"), run=_truncated_svd)


def _index_and_queries(context: Context, parameters: Parameters) -> Any:
    X = random_rows(context, parameters["rows"], NEIGHBORS_COLUMNS, "float32")
    queries = random_rows(context, parameters["queries"], NEIGHBORS_COLUMNS, "float32", seed=SEED + 1)
    return X, queries


def _nearest_neighbors(data: Any) -> Outcome:
    from ..learn import NearestNeighbors

    X, queries = data
    distances, _ = NearestNeighbors(n_neighbors=NEIGHBORS).fit(X).kneighbors(queries)
    return Outcome(float(distances.sum(dtype="float64").compute() if hasattr(distances, "dask") else distances.sum()))


NEAREST_NEIGHBORS = Workload(
    "nearest-neighbors",
    f"Nearest neighbours: {NEIGHBORS} of each query, {NEIGHBORS_COLUMNS} columns (float32)",
    by_size(rows=(2_000, 20_000, 100_000, 1_000_000), queries=(500, 2_000, 10_000, 50_000)),
    prepare=_index_and_queries,
    run=_nearest_neighbors,
    memory_bytes=lambda parameters: 4 * 4 * NEIGHBORS_COLUMNS * (parameters["rows"] + parameters["queries"]),
    amount=lambda parameters: parameters["queries"],
    unit="queries",
    tolerance=1e-4,
)
