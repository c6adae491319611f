"""The flights as files of text, one for each month, as they come from an office that publishes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

WHOLE_BUT_MISSING = ("dep_time", "dep_delay", "arr_time", "arr_delay", "air_time")
"""Columns of whole numbers, some of which are missing: their fields are then empty."""


def write_monthly_csv(folder: str | Path, table: Any = None) -> list[Path]:
    """Write flights as CSV files, one per month, and return their paths in order.

    Whole numbers are written without a decimal point, a missing one as an empty field, and the time as text.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    table : pandas.DataFrame, optional
        Rows to write; left out: all flights of the year.
    """
    import pyarrow as pa
    import pyarrow.csv

    from ...datasets import flights

    if table is None:
        table = flights(as_frame="pandas")
    goal = Path(folder)
    goal.mkdir(parents=True, exist_ok=True)
    paths = []
    for month, rows in table.groupby("month"):
        written = rows.astype(dict.fromkeys(WHOLE_BUT_MISSING, "Int32"))
        written["time_hour"] = rows["time_hour"].dt.strftime("%Y-%m-%d %H:%M:%S")
        paths.append(goal / f"flights-2013-{month:02d}.csv")
        pa.csv.write_csv(pa.Table.from_pandas(written, preserve_index=False), paths[-1])
    return paths


def column_bytes(folder: str | Path) -> dict[str, int]:
    """Return how many bytes each column takes in the Parquet files of a folder, compressed as they are."""
    from pyarrow.parquet import read_metadata

    sizes: dict[str, int] = {}
    for path in sorted(Path(folder).rglob("*.parquet")):
        about = read_metadata(path)
        for group in range(about.num_row_groups):
            for number in range(about.num_columns):
                column = about.row_group(group).column(number)
                name = column.path_in_schema
                sizes[name] = sizes.get(name, 0) + column.total_compressed_size
    return sizes
