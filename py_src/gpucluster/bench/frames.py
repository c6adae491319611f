"""Workloads on Dask data frames."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..datasets import flights, planes, weather
from .workload import Context, Outcome, Parameters, Workload, by_size, expect, persisted

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
    expect(float(count), rows - _first_match(rows), "The number of rows that have a match")
    expect(float(lowest), _first_match(rows), "The lowest key that has a match")
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
    expect(float(found["dep_time"].sum()), FLOWN * copies, "The number of flights that were flown")
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
