"""Lesson 05, files: from CSV to Parquet, and reading two columns only."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ....protocol.plain_text import counted
from ...examination import Examination, describe
from ...material.conversion import as_pandas
from ...material.flightfiles import write_monthly_csv
from .. import exercise
from .hidden import in_this_process, lazily, real

NEEDED = ["origin", "dep_delay"]


@exercise("05.2", "convert", "open_delays", repeats=False)
def check_files(exam: Examination, convert: Any, open_delays: Any) -> None:
    """Nothing is lost on the way to Parquet, each month has its file, and two columns are read without the others."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table, paths = _hidden_months(exam, folder / "csv")
        goal = folder / "parquet"
        goal.mkdir()
        with in_this_process():
            result = exam.call(convert, [str(path) for path in paths], str(goal))
        parts = sorted(path for path in goal.rglob("*.parquet") if not path.name.startswith("_"))
        exam.expect("There is one Parquet file for each CSV file", len(parts) == len(paths),
                    f"{len(parts)} Parquet files for {len(paths)} CSV files")  # fmt: skip
        exam.require("There are Parquet files in the folder", bool(parts), "none")
        _expect_content(exam, parts, table)
        for path in paths:
            path.unlink()  # what is returned must come from the new files
        with in_this_process():
            again = exam.call(as_pandas, result)
        full = hasattr(result, "dask") and hasattr(again, "columns") and len(again) == len(table)
        exam.expect("It returns the lazy table of what was written", full, describe(result))
        for path in parts:
            damage_other_columns(path, NEEDED)
        elsewhere = goal.rename(folder / "moved")
        lazy = lazily(exam, open_delays, str(elsewhere))
        _expect_two_columns(exam, lazy, table)


def _hidden_months(exam: Examination, folder: Path) -> tuple[Any, list[Path]]:
    """Some months with few flights each; in the first, nothing is missing."""
    import pandas as pd

    flights = real("flights")
    months = np.sort(exam.rng.choice(np.arange(1, 13), size=int(exam.rng.integers(3, 6)), replace=False))
    chosen = []
    for number, month in enumerate(months):
        rows = flights[flights["month"] == month]
        flown = rows[rows["air_time"].notna() & rows["tailnum"].notna()]
        pool = flown if number == 0 else pd.concat([flown.iloc[:400], rows[rows["air_time"].isna()]])
        size = int(exam.rng.integers(60, 160))
        chosen.append(pool.iloc[np.sort(exam.rng.choice(len(pool), size=size, replace=False))])
    table = pd.concat(chosen).reset_index(drop=True)
    table.loc[table.index[-3:], "tailnum"] = None  # a missing word stays missing, too
    return table, write_monthly_csv(folder, table)


def _expect_content(exam: Examination, parts: list[Path], table: Any) -> None:
    import pyarrow.parquet as pq

    pieces = [exam.call(pq.read_table, path) for path in parts]
    rows = sum(piece.num_rows for piece in pieces)
    exam.expect("All rows arrive", rows == len(table), f"{rows} rows of {len(table)}")
    types = {tuple((field.name, str(field.type)) for field in piece.schema) for piece in pieces}
    exam.expect("All files have the same columns and types", len(types) == 1, counted(len(types), "schema"))
    schema = pieces[0].schema
    names = [name for name in schema.names if not name.startswith("__")]
    exam.require("The columns are the 19 of the CSV files", set(names) == set(table.columns),
                 f"{len(names)} columns; {', '.join(sorted(set(names) ^ set(table.columns)))[:60]}")  # fmt: skip
    is_time = str(schema.field("time_hour").type).startswith("timestamp")
    exam.expect("time_hour is stored as a time, not as text", is_time, str(schema.field("time_hour").type))
    for name in ("distance", "dep_delay", "air_time"):
        total = sum(float(np.nansum(piece[name].to_pandas().astype(float))) for piece in pieces)
        true = float(table[name].sum())
        exam.expect(f"The sum of {name} is the same", total == true, f"{total:,.0f}, in the CSV files {true:,.0f}")
    gaps = {name: sum(int(piece[name].to_pandas().isna().sum()) for piece in pieces) for name in table.columns}
    filled = [name for name, number in gaps.items() if number != table[name].isna().sum()]
    exam.expect("What is missing stays missing", not filled, ", ".join(filled)[:80] or "in all columns")
    changed = _changed_columns(pieces, table)
    exam.expect("Every column has the values of the CSV files", not changed, ", ".join(changed)[:80] or "equal")
    months = [set(piece["month"].to_pylist()) for piece in pieces]
    exam.expect("Each file holds one month", all(len(found) == 1 for found in months),
                f"{counted(max(map(len, months)), 'month')} in one file")  # fmt: skip


def _changed_columns(pieces: list[Any], table: Any) -> list[str]:
    """Names of the columns whose values are not those of the table; the types may be others."""
    import pandas as pd

    found = pd.concat([piece.to_pandas() for piece in pieces])
    if len(found) != len(table):
        return []  # said already
    key = ["month", "day", "carrier", "flight", "origin", "sched_dep_time", "tailnum"]
    found, true = (
        _plain(frame[list(table.columns)]).sort_values(key).reset_index(drop=True) for frame in (found, table)
    )
    return [name for name in table.columns if not found[name].equals(true[name])]


def _plain(table: Any) -> Any:
    """The same values as numbers and text, whatever types hold them."""
    import pandas as pd

    plain = {}
    for name in table.columns:
        column = table[name]
        if name == "time_hour":
            # Files may keep the zone or not; the instants are the same.
            plain[name] = pd.to_datetime(column, utc=True).astype("datetime64[ns, UTC]")
        elif pd.api.types.is_numeric_dtype(column):
            plain[name] = column.astype("Float64").astype("float64")
        else:
            plain[name] = column.astype(object).where(column.notna(), "")
    return pd.DataFrame(plain)


def damage_other_columns(path: Path, keep: list[str]) -> None:
    """Overwrite the data of all other columns in a Parquet file: who reads them gets an error."""
    import pyarrow.parquet as pq

    about = pq.ParquetFile(path).metadata
    with path.open("r+b") as file:
        for group in range(about.num_row_groups):
            for number in range(about.row_group(group).num_columns):
                column = about.row_group(group).column(number)
                name = column.path_in_schema
                if name not in keep and not name.startswith("__"):  # an index that was stored is read along
                    start = column.dictionary_page_offset or column.data_page_offset
                    file.seek(min(start, column.data_page_offset))
                    file.write(b"\xff" * column.total_compressed_size)


def _expect_two_columns(exam: Examination, lazy: Any, table: Any) -> None:
    names = list(getattr(lazy, "columns", []))
    exam.require("The table has the two columns origin and dep_delay", sorted(names) == sorted(NEEDED),
                 ", ".join(map(str, names))[:80])  # fmt: skip
    with in_this_process():
        try:
            found = as_pandas(lazy)
        except Exception:
            # The other columns are damaged on purpose; what the error says would only mislead.
            exam.require("It reads these two columns only: the others are damaged on purpose", False,
                         "it failed on a damaged column")  # fmt: skip
    exam.expect("It reads these two columns only: the others are damaged on purpose", True, "it read two columns")
    total, true = float(found["dep_delay"].sum()), float(table["dep_delay"].sum())
    exam.expect("Two columns: all rows, with their values", len(found) == len(table) and total == true,
                f"{len(found)} rows, sum {total:,.0f}")  # fmt: skip
