"""Read rows of the stored tables, on the workers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from .libraries import Frame, FrameLibrary
from .manifest import path_of

if TYPE_CHECKING:
    import pandas as pd
    from pyarrow.parquet import FileMetaData

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


def row_group_starts(table: str) -> list[int]:
    """Return the first row of each row group of the file, and the number of rows."""
    from pyarrow.parquet import read_metadata

    return _starts(read_metadata(path_of(table)))


def _starts(metadata: FileMetaData) -> list[int]:
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
