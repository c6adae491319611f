"""All workloads: on Dask arrays and data frames, of ``gpucluster.learn``, and of collective operations."""

import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ..datasets import flights, planes, weather
from ..protocol.errors import InvalidRequest
from .workload import NAMES, SIZES, Context, Outcome, Parameters, Workload, by_size, expect, persisted

SEED = 20130101


def random_rows(context: Context, rows: int, columns: int, dtype: str, seed: int = SEED) -> Any:
    """Return a persisted array of uniform random numbers from 0 to 1, chunked along its rows only."""
    import dask.array as da

    n_blocks = min(rows, context.blocks_for(rows * columns * (8 if dtype == "float64" else 4)))
    # By the generator of Dask's array library, NumPy or CuPy.
    made = da.random.default_rng(seed).random((rows, columns), chunks=(-(-rows // n_blocks), columns))
    return persisted(made.astype(dtype))[0]


# -- sum of an array and its transpose -----------------------------------------------------------


def _square(context: Context, parameters: Parameters) -> Any:
    import dask.array as da

    n = parameters["n"]
    across = math.ceil(math.sqrt(context.blocks_for(n * n * 8)))
    (x,) = persisted(da.random.default_rng(SEED).random((n, n), chunks=-(-n // across)))
    return x, 2 * float(x.sum().compute())


def _transpose_sum(data: Any) -> Outcome:
    x, known = data
    found = float((x + x.T).sum().compute())
    expect(found, known, "The sum of an array and its transpose")
    return Outcome(found)


TRANSPOSE_SUM = Workload(
    "transpose-sum",
    "Sum of a square array and its transpose (float64)",
    by_size(n=(1_000, 4_000, 10_000, 30_000)),
    prepare=_square,
    run=_transpose_sum,
    memory_bytes=lambda parameters: 3 * 8 * parameters["n"] ** 2,
    amount=lambda parameters: parameters["n"] ** 2,
    unit="elements",
)


# -- singular value decomposition ----------------------------------------------------------------

SVD_COLUMNS = 64


def _svd(x: Any) -> Outcome:
    import dask.array as da
    from dask.base import compute

    u, s, _ = da.linalg.svd(x)
    # Compute the left vectors as well, but not in the client: the sum of their squares is the number of columns.
    singular, squares = compute(s.sum(), (u**2).sum())
    expect(float(squares), SVD_COLUMNS, "The sum of squares of the left singular vectors", 1e-6)
    return Outcome(float(singular))


SVD = Workload(
    "svd",
    "Singular value decomposition of a tall array with 64 columns (dask.array.linalg.svd, float64)",
    by_size(rows=(20_000, 200_000, 1_000_000, 10_000_000)),
    prepare=lambda context, parameters: random_rows(context, parameters["rows"], SVD_COLUMNS, "float64"),
    run=_svd,
    memory_bytes=lambda parameters: 4 * 8 * SVD_COLUMNS * parameters["rows"],
    amount=lambda parameters: parameters["rows"],
)


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


LATENCY_BYTES = 8
_MEASURED_SECONDS = 0.2  # Approximate duration of one run of repeated operations.
_LEAST, _MOST = 5, 500


def _one_row_each(context: Context, parameters: Parameters) -> Any:
    import dask.array as da

    # One block of the same size for each worker, so that each is a rank.
    return da.zeros((context.n_workers, 1), chunks=(1, 1)), parameters["bytes"], context.n_workers


def timed_allreduces(shard: Any, n_bytes: int) -> tuple[float, float]:
    """Sum an array over all ranks repeatedly; runs on the workers.

    Returns the median seconds of one operation on this rank, and the first element of the last result.
    """
    communicator = shard.communicator
    values = np.ones(max(1, n_bytes // 8))
    communicator.barrier()
    started = time.perf_counter()
    for _ in range(_LEAST):
        communicator.allreduce(values)
    each = (time.perf_counter() - started) / _LEAST
    # All ranks repeat as often as the slowest one.
    repeats = int(min(max(_MEASURED_SECONDS / communicator.allreduce(each, "max"), _LEAST), _MOST))
    taken = []
    result = values
    for _ in range(repeats):
        started = time.perf_counter()
        result = communicator.allreduce(values)
        taken.append(time.perf_counter() - started)
    return statistics.median(taken), float(result[0])


def _allreduce(data: Any, communicator: Any = "workers") -> Outcome:
    from ..learn import config_context, run_on_ranks

    rows, n_bytes, n_workers = data
    with config_context(communicator=communicator):
        answers = run_on_ranks(timed_allreduces, rows, n_bytes=n_bytes)
    expect(len(answers), n_workers, "The number of ranks")
    for _, total in answers:
        expect(total, n_workers, "The sum over all ranks")
    return Outcome(n_workers, seconds=max(seconds for seconds, _ in answers))


ALLREDUCE_LATENCY = Workload(
    "allreduce-latency",
    "Allreduce of one number over the workers' links: latency",
    by_size(bytes=[LATENCY_BYTES] * len(SIZES)),
    prepare=_one_row_each,
    run=_allreduce,
    memory_bytes=lambda parameters: 2**20,
    least_workers=2,
    scales=False,
)
ALLREDUCE_BANDWIDTH = replace(
    ALLREDUCE_LATENCY,
    name="allreduce-bandwidth",
    title="Allreduce of a large array over the workers' links: bandwidth",
    sizes=by_size(bytes=(2**18, 2**22, 2**24, 2**26)),
    memory_bytes=lambda parameters: 64 * parameters["bytes"],
    amount=lambda parameters: parameters["bytes"],
    unit="bytes",
)


def _over_mpi(workload: Workload) -> Workload:
    title = workload.title.replace("the workers' links", "MPI")
    run = partial(_allreduce, communicator="mpi")
    return replace(workload, name=f"mpi-{workload.name}", title=title, run=run, needs_mpi=True)


MPI_LATENCY = _over_mpi(ALLREDUCE_LATENCY)
MPI_BANDWIDTH = _over_mpi(ALLREDUCE_BANDWIDTH)


SUM_COLUMNS = 8
FLOWN = 336_776 - 8_255  # Flights that were not cancelled.


def frame_of(columns: dict[str, Any], library: str) -> Any:
    if library == "cudf":
        import cudf

        return cudf.DataFrame(columns)
    import pandas as pd

    return pd.DataFrame(columns, copy=False)


def _lazy(make: Any, rows: int, n_blocks: int, library: str, **options: Any) -> Any:
    import dask.dataframe as dd

    n_blocks = min(rows, n_blocks)
    cuts = list(pairwise(rows * number // n_blocks for number in range(n_blocks + 1)))
    return dd.from_map(
        make, cuts, library=library, meta=make((0, 1), library=library, **options),
        enforce_metadata=False, **options,
    )  # fmt: skip


# -- sum of a data frame -------------------------------------------------------------------------


def numbers_block(rows: tuple[int, int], *, library: str) -> Any:
    """Return some rows of a table of random numbers; runs on the workers."""
    generator = np.random.default_rng(rows)
    return frame_of({f"c{i}": generator.random(rows[1] - rows[0]) for i in range(SUM_COLUMNS)}, library)


def _numbers(context: Context, parameters: Parameters) -> Any:
    rows = parameters["rows"]
    lazy = _lazy(numbers_block, rows, context.blocks_for(8 * SUM_COLUMNS * rows), context.frames)
    return persisted(lazy)[0]


FRAME_SUM = Workload(
    "frame-sum",
    "Sums of the 8 columns of a data frame (float64)",
    by_size(rows=(100_000, 2_000_000, 20_000_000, 200_000_000)),
    prepare=_numbers,
    run=lambda frame: Outcome(float(frame.sum().compute().sum())),
    memory_bytes=lambda parameters: 2 * 8 * SUM_COLUMNS * parameters["rows"],
    amount=lambda parameters: parameters["rows"],
)


# -- merge ---------------------------------------------------------------------------------------

_STRIDES = {"left": 982_451_653, "right": 899_809_363}
"""Primes: row × stride modulo the number of rows gives each key once, in a pseudo-random order."""
_MATCHING = 0.3


def keyed_block(rows: tuple[int, int], *, side: str, n_rows: int, library: str) -> Any:
    """Return some rows of a table with unique keys; runs on the workers."""
    row = np.arange(*rows, dtype=np.int64)
    key = row * _STRIDES[side] % n_rows + (_first_match(n_rows) if side == "right" else 0)
    return frame_of({"key": key, side: row}, library)


def _first_match(n_rows: int) -> int:
    return n_rows - int(n_rows * _MATCHING)


def _two_tables(context: Context, parameters: Parameters) -> Any:
    rows = parameters["rows"]
    n_blocks = context.blocks_for(16 * rows)
    sides = [_lazy(keyed_block, rows, n_blocks, context.frames, side=side, n_rows=rows) for side in ("left", "right")]
    return (*persisted(*sides), rows)


def _merge(data: Any) -> Outcome:
    from dask.base import compute

    left, right, rows = data
    merged = left.merge(right, on="key")
    count, lowest, total = compute(merged.key.count(), merged.key.min(), merged.left.sum())
    expect(float(count), rows - _first_match(rows), "The number of rows with a match")
    expect(float(lowest), _first_match(rows), "The lowest key with a match")
    return Outcome(float(total))


MERGE = Workload(
    "merge",
    "Merge of two data frames on a random key, of which 30% match (int64)",
    by_size(rows=(50_000, 1_000_000, 10_000_000, 100_000_000)),
    prepare=_two_tables,
    run=_merge,
    memory_bytes=lambda parameters: 6 * 16 * parameters["rows"],
    amount=lambda parameters: 2 * parameters["rows"],
)


# -- shuffle -------------------------------------------------------------------------------------


def _one_table(context: Context, parameters: Parameters) -> Any:
    rows = parameters["rows"]
    n_blocks = context.blocks_for(16 * rows)
    return persisted(_lazy(keyed_block, rows, n_blocks, context.frames, side="left", n_rows=rows))[0]


def _shuffle(table: Any) -> Outcome:
    import dask

    with dask.config.set({"dataframe.shuffle.method": "p2p"}):
        moved = table.shuffle("key")
        found = moved.map_partitions(_weighed, meta=(None, "float64")).compute()
    expect(float(len(found)), moved.npartitions, "The number of partitions")
    # Each key occurs once, in any partition.
    return Outcome(float(found.sum()))


def _weighed(part: Any) -> Any:
    return (part.key * 1.0 + part.left).sum() if len(part) else 0.0


SHUFFLE = Workload(
    "shuffle",
    "Shuffle of a data frame by a random key (int64, p2p)",
    MERGE.sizes,
    prepare=_one_table,
    run=_shuffle,
    memory_bytes=lambda parameters: 4 * 16 * parameters["rows"],
    amount=lambda parameters: parameters["rows"],
)

# -- flights -------------------------------------------------------------------------------------

_COLUMNS = ["carrier", "origin", "tailnum", "time_hour", "dep_time", "dep_delay", "arr_delay", "air_time"]


def _flights_etl(copies: Any) -> Outcome:
    table = flights(columns=_COLUMNS, copies=copies)
    flown = table[table.dep_time.notnull()]
    sky = weather(columns=["origin", "time_hour", "visib", "wind_speed"])
    built = planes(columns=["tailnum", "year", "seats"]).rename(columns={"year": "built"})
    joined = flown.merge(sky, how="left", on=["origin", "time_hour"]).merge(built, how="left", on="tailnum")
    grouped = joined.groupby(["carrier", "origin"])[["dep_delay", "air_time", "visib", "seats", "dep_time"]]
    wanted = {"dep_delay": "mean", "air_time": "sum", "visib": "mean", "seats": "mean", "dep_time": "count"}
    # For few groups: without split_out=1, Dask shuffles them between the workers.
    found = grouped.agg(wanted, split_out=1).compute()
    expect(float(found["dep_time"].sum()), FLOWN * copies, "The number of flights that were not cancelled")
    return Outcome(float(found["dep_delay"].sum() + found["visib"].sum() + found["seats"].sum()))


FLIGHTS_ETL = Workload(
    "flights-etl",
    "Flights: read Parquet, drop cancelled ones, join weather and planes, aggregate by carrier and origin",
    by_size(copies=(1, 4, 32, 256)),
    prepare=lambda _context, parameters: parameters["copies"],
    run=_flights_etl,
    # Each thread has only a few partitions in memory at the same time.
    memory_bytes=lambda parameters: 256 * 2**20,
    amount=lambda parameters: 336_776 * parameters["copies"],
)


_BY_NAME = {found.name: found for found in list(globals().values()) if isinstance(found, Workload)}
WORKLOADS: dict[str, Workload] = {name: _BY_NAME[name] for name in NAMES}


def workloads(only: Sequence[str] | None = None) -> list[Workload]:
    """Return the workloads of these names, by default all. Raises `InvalidRequest` (there is no such workload)."""
    if only is None:
        return list(WORKLOADS.values())
    for name in only:
        if name not in WORKLOADS:
            near = get_close_matches(name, WORKLOADS, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise InvalidRequest(f"only: unknown workload '{name[:40]}'.{hint} Available: {', '.join(WORKLOADS)}.")
    return [workload for name, workload in WORKLOADS.items() if name in only]
