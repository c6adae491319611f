"""One row for each minute that each flight was in the air: a large table derived from real records."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .options import Frame, FrameLibrary, even_cuts, frame_library
from .tables import read_rows, stored_tables

if TYPE_CHECKING:
    import pandas as pd
    from dask.dataframe import DataFrame as DaskFrame

ROWS = 49_326_610  # The sum of ``air_time`` of all flights, in minutes.
DEFAULT_PARTITIONS = 16  # So that one partition takes about 31 MB.
_NEEDED = ("month", "day", "sched_dep_time", "dep_delay", "air_time")
DTYPES: dict[str, np.dtype[Any]] = {
    "flight_row": np.dtype("int32"),
    "minute": np.dtype("int16"),
    "clock": np.dtype("int32"),
}
_MINUTES_PER_DAY = 24 * 60
_DAYS_BEFORE_MONTH = np.array([0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334])  # of 2013


def flight_minutes(npartitions: int | None = None) -> DaskFrame:
    """Return one row for each minute that each flight was in the air: 49,326,610 rows, 10 bytes each.

    Derived from ``flights``, block by block on the workers; never stored. Flights without an ``air_time`` (cancelled or
    diverted) have no rows.

    * ``flight_row`` (int32): number of the flight, the index of ``flights``
    * ``minute`` (int16): minute since take-off, from 0
    * ``clock`` (int32): minute of the year 2013 by the clock of New York, from 0 at 2013-01-01 00:00

    A flight is assumed to be in the air from its departure at the gate on, without a break, because the records have no
    taxi times. The clock is that of the departure during the whole flight, whatever the time at the destination, and
    ignores changes of daylight saving time.

    Parameters
    ----------
    npartitions : int, optional
        Number of partitions, each with the minutes of nearly as many flights. Default: 16 (about 31 MB each).

    Returns
    -------
    dask.dataframe.DataFrame
        Of the library in Dask's option ``dataframe.backend``. The index counts the rows.

    Raises
    ------
    InvalidOption, MissingLibrary

    Examples
    --------
    >>> clock = flight_minutes().groupby("clock").size()  # doctest: +SKIP
    >>> clock.compute().max()  # the most flights in the air at once  # doctest: +SKIP
    191
    """
    import dask.dataframe as dd

    library = frame_library()
    wanted = DEFAULT_PARTITIONS if npartitions is None else npartitions
    cuts = even_cuts(stored_tables()["flights"].rows, wanted, "npartitions")
    before = _minutes_before()
    starts = [int(before[cut]) for cut in cuts[:-1]]
    made: DaskFrame = dd.from_map(
        minutes_of,
        list(pairwise(cuts)),
        starts,
        library=library,
        meta=minutes_of((0, 0), 0, library=library),
        divisions=(*starts, ROWS - 1),
        label="flight_minutes",
        enforce_metadata=False,
    )
    return made


def minutes_of(
    rows: tuple[int, int], start: int, columns: list[str] | None = None, *, library: FrameLibrary = "pandas"
) -> Frame:
    """Return the minutes of some flights, from the minute ``start`` of all on; runs on the workers."""
    flights = read_rows((*rows, 0), _NEEDED, table="flights")
    flown = flights["air_time"].notna().to_numpy()
    lengths = flights["air_time"].to_numpy()[flown].astype(np.int32)
    total = int(lengths.sum())
    minute = np.arange(total, dtype=np.int32)
    minute -= np.repeat((np.cumsum(lengths, dtype=np.int64) - lengths).astype(np.int32), lengths)
    made: dict[str, Any] = {}
    for name in DTYPES if columns is None else columns:
        if name == "flight_row":
            made[name] = np.repeat((np.flatnonzero(flown) + rows[0]).astype(np.int32), lengths)
        elif name == "minute":
            made[name] = minute.astype(np.int16)
        else:
            made[name] = np.repeat(_departures(flights)[flown].astype(np.int32), lengths) + minute
    return _frame(made, start, total, library)


def _departures(flights: pd.DataFrame) -> NDArray[np.float64]:
    """Return the minute of the year at which each flight departed.

    From schedule and delay: ``dep_time`` alone does not show that 1,199 flights left after midnight, a day late.
    """
    days = _DAYS_BEFORE_MONTH[flights["month"].to_numpy() - 1] + flights["day"].to_numpy() - 1
    scheduled = flights["sched_dep_time"].to_numpy()
    clock = days * _MINUTES_PER_DAY + scheduled // 100 * 60 + scheduled % 100
    departures: NDArray[np.float64] = clock + flights["dep_delay"].fillna(0).to_numpy()
    return departures


def _frame(made: dict[str, Any], start: int, length: int, library: FrameLibrary) -> Frame:
    if library == "cudf":
        import cudf

        return cudf.DataFrame(made, index=cudf.RangeIndex(start, start + length))
    import pandas as pd

    return pd.DataFrame(made, index=pd.RangeIndex(start, start + length), copy=False)


@cache
def _minutes_before() -> NDArray[np.int64]:
    """Return the minutes in the air of all earlier flights for each flight, and the total of all flights."""
    rows = stored_tables()["flights"].rows
    minutes = read_rows((0, rows, 0), ["air_time"], table="flights")["air_time"].fillna(0).to_numpy()
    return np.concatenate([[0], np.cumsum(minutes.astype(np.int64))])
