"""The tables in the files of the package: their manifest, and reading their rows on the workers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import DamagedFile
from .libraries import Frame, FrameLibrary

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
    """Return the path of a table in the installed package."""
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
            raise DamagedFile(f"The file of the table '{name}' is missing ({path}). Install gpucluster again.")
        if hashlib.sha256(path.read_bytes()).hexdigest() != table.sha256:
            raise DamagedFile(f"{path} is not the file that came with gpucluster. Install gpucluster again.")


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
