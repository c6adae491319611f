"""The checks of lesson 05."""

from __future__ import annotations

import itertools
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ....dask_internals.collections import name as name_of
from ....protocol.plain_text import counted
from ...checks import exercise
from ...examination import Examination, describe
from ...material.conversion import as_pandas
from ...probes.transfers import Traffic
from .tools import collecting_calls, write_monthly_csv

# Hidden tables for the checks of lesson 05: real rows, drawn at random, cut into unequal partitions.


@cache
def real(name: str) -> Any:
    """Return a table of the data sets in memory, read once."""
    from .... import datasets

    return getattr(datasets, name)(as_frame="pandas")


def sample(rng: np.random.Generator, name: str, rows: int, columns: list[str] | None = None) -> Any:
    """Draw different rows of a real table, in the order of the table, numbered from 0."""
    table = real(name)
    chosen = np.sort(rng.choice(len(table), size=rows, replace=False))
    return (table if columns is None else table[columns]).iloc[chosen].reset_index(drop=True)


def in_parts(rng: np.random.Generator, table: Any, count: int) -> Any:
    """Cut a table into partitions of clearly different length, as a lazy table of the lesson's library."""
    import dask.dataframe as dd

    weights = rng.permutation(2.0 ** np.arange(count))
    cuts = np.round(np.cumsum(weights) / weights.sum() * len(table)).astype(int)[:-1]
    pieces = [table.iloc[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(table)], strict=True)]
    number = next(_numbers)
    made = dd.from_map(whole, pieces, number=number, meta=table.iloc[:0], enforce_metadata=False).to_backend()
    _number_of[name_of(made)] = number
    return made


_numbers = itertools.count()
_number_of: dict[str, int] = {}
_read: Counter[int] = Counter()


def whole(piece: Any, number: int) -> Any:
    """Return a piece as it is, and note that the table of this number was read."""
    _read[number] += 1
    return piece


def times_read(table: Any) -> int:
    """Return how many partitions of a table of `in_parts` have been read so far, each counted every time."""
    return _read[_number_of[name_of(table)]]


@contextmanager
def in_this_process() -> Iterator[list[int]]:
    """Compute here instead of on the cluster, and count how often something is computed."""
    import dask
    from dask.callbacks import Callback

    count = [0]

    class Computations(Callback):
        def _start(self, dsk: Any) -> None:
            count[0] += 1

    # Without a cluster, rows cannot be shuffled from worker to worker: tasks carry them.
    with dask.config.set({"scheduler": "synchronous", "dataframe.shuffle.method": "tasks"}), Computations():  # type: ignore[no-untyped-call]
        yield count


def lazily(exam: Examination, function: Callable[..., Any], *tables: Any) -> Any:
    """Call the learner's function with lazy tables; the result must be lazy, and nothing may have been computed."""
    with in_this_process() as count:
        result = exam.call(function, *tables)
    _require_lazy(exam, result)
    exam.expect("Nothing is computed inside", count[0] == 0, f"computed {counted(count[0], 'time')}")
    return result


def joined_lazily(exam: Examination, function: Callable[..., Any], large: Any, small: Any) -> Any:
    """Call the learner's function with two lazy tables, of which it may compute the small one."""
    before = times_read(large)
    with in_this_process():
        result = exam.call(function, large, small)
    _require_lazy(exam, result)
    read = times_read(large) - before
    exam.expect("The flights are not computed inside", read == 0, f"{read} of their partitions were read")
    return result


def _require_lazy(exam: Examination, result: Any) -> None:
    from dask.base import is_dask_collection

    lazy = is_dask_collection(result)
    exam.require("It returns a lazy Dask table or column", lazy, f"it returned {describe(result)}")


def computed(exam: Examination, result: Any) -> Any:
    """Compute what the learner returned; a failure becomes a finding."""
    with in_this_process():
        return exam.call(as_pandas, result)


def require_columns(exam: Examination, table: Any, wanted: list[str]) -> None:
    """End the check unless the table has these columns."""
    names = [str(name) for name in getattr(table, "columns", [])]
    missing = [name for name in wanted if name not in names]
    exam.require(
        f"The table has the columns {', '.join(wanted)}",
        not missing,
        f"no {', '.join(missing)}; it has {', '.join(names[-6:]) or 'no columns'}",
    )


def expect_same_rows(exam: Examination, joined: Any, before: Any) -> bool:
    """Expect that a join kept each row once, and its values; True when the rows can be compared further."""
    kept = exam.expect(
        "Each flight occurs once, with or without a match",
        len(joined) == len(before),
        f"{len(joined)} rows after the join, {len(before)} before",
    )
    if not kept:
        return False
    keys = ["time_hour", "carrier", "flight", "origin"]
    columns = list(before.columns)
    require_columns(exam, joined, columns)
    joined.index = before.index
    one, other = (frame[columns].sort_values(keys).reset_index(drop=True) for frame in (joined, before))
    changed = [name for name in columns if not _equal(one[name], other[name])]
    return exam.expect(
        "The flights' columns keep their names and values",
        not changed,
        f"changed: {', '.join(changed)}" if changed else "unchanged",
    )


def _equal(one: Any, other: Any) -> bool:
    if one.dtype.kind == "f" or other.dtype.kind == "f":
        return bool(np.allclose(one.astype(float), other.astype(float), equal_nan=True))
    missing = one.isna().to_numpy()
    return bool(np.array_equal(missing, other.isna().to_numpy()) and (one[~missing] == other[~missing]).all())


# Files: from CSV to Parquet, and reading two columns only.


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
        exam.expect("It returns a lazy table of the written files", full, describe(result))
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
    exam.expect("All rows are there", rows == len(table), f"{rows} rows of {len(table)}")
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
    exam.expect("Missing values stay missing", not filled, ", ".join(filled)[:80] or "in all columns")
    changed = _changed_columns(pieces, table)
    exam.expect("Every column has the values from the CSV files", not changed, ", ".join(changed)[:80] or "equal")
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
            exam.require("It reads only these two columns: the others are corrupted on purpose", False,
                         "it failed on a damaged column")  # fmt: skip
    exam.expect("It reads only these two columns: the others are corrupted on purpose", True, "it read two columns")
    total, true = float(found["dep_delay"].sum()), float(table["dep_delay"].sum())
    exam.expect("Two columns: all rows, with their values", len(found) == len(table) and total == true,
                f"{len(found)} rows, sum {total:,.0f}")  # fmt: skip


# Looking at the tables: audit, kinds of data, and the first aggregation.


KINDS = {
    "carrier": {"nominal"},
    "flight": {"nominal"},
    "tailnum": {"nominal"},
    "month": {"ordinal"},
    "dep_delay": {"ratio", "interval"},  # a time between two moments; one may stress that it can be negative
    "distance": {"ratio"},
    "time_hour": {"time"},
}
MISSING = {"dep_time": 8255, "arr_time": 8713, "air_time": 9430, "tailnum": 2512}
MEANS = {"EWR": 15.1080, "JFK": 12.1122, "LGA": 10.3469}


@exercise("05.1", "audit", "kinds")
def check_audit(exam: Examination, audit: Any, kinds: Any) -> None:
    """Rows, missing values and duplicates are counted over all partitions; each column has the right kind."""
    for count in (1, 4):
        table = _with_faults(exam)
        key = ["origin", "time_hour"]
        _expect_audit(exam, audit, in_parts(exam.rng, table, count), table, key)
    columns = [*MISSING, "carrier"]
    found = _audit(exam, audit, in_parts(exam.rng, real("flights")[columns], 3), ["tailnum"])
    exam.expect(
        "For the real year, the missing values match an independent count",
        all(found["nulls"].get(name) == number for name, number in MISSING.items()),
        ", ".join(f"{name} {found['nulls'].get(name, 0):,}" for name in MISSING),
    )
    _expect_kinds(exam, kinds)


def _with_faults(exam: Examination) -> Any:
    """Weather with rows that occur again elsewhere in the table, some of them twice, and some columns without a gap.

    In some keys a value is missing; one of these keys occurs twice.
    """
    table = sample(exam.rng, "weather", 200, ["origin", "time_hour", "temp", "wind_dir", "wind_gust", "pressure"])
    import pandas as pd

    order = exam.rng.permutation(200)
    again = table.iloc[order[: int(exam.rng.integers(14, 25))]]
    once = table.iloc[order[100:]].drop_duplicates("time_hour").index[:6]
    table.loc[once, "origin"] = None
    twice = table.loc[once[:1]]
    mixed = pd.concat([table, again, again.iloc[: int(exam.rng.integers(3, 6))], twice]).reset_index(drop=True)
    mixed.loc[exam.rng.choice(len(mixed), size=7, replace=False), "temp"] = np.nan
    return mixed.iloc[exam.rng.permutation(len(mixed))].reset_index(drop=True)


def _audit(exam: Examination, audit: Any, table: Any, key: list[str]) -> dict[str, Any]:
    with in_this_process():
        found = exam.call(audit, table, key)
    names = {"rows", "nulls", "duplicates"}
    is_dict = isinstance(found, dict) and names <= set(found)
    exam.require("It returns a dictionary with rows, nulls and duplicates", is_dict, describe(found))
    nulls = dict(found["nulls"]) if hasattr(found["nulls"], "items") else None
    exam.require("nulls is a dictionary {column: number}", nulls is not None, describe(found["nulls"]))
    plain = all(np.ndim(found[name]) == 0 and not hasattr(found[name], "dask") for name in ("rows", "duplicates"))
    exam.require(
        "rows and duplicates are numbers", plain, f"{describe(found['rows'])}, {describe(found['duplicates'])}"
    )
    return {"rows": int(found["rows"]), "nulls": nulls, "duplicates": int(found["duplicates"])}


def _expect_audit(exam: Examination, audit: Any, lazy: Any, table: Any, key: list[str]) -> None:
    found = _audit(exam, audit, lazy, key)
    where = f"with {counted(lazy.npartitions, 'partition')}"
    exam.expect("rows counts all rows", found["rows"] == len(table), f"{found['rows']} {where}")
    missing = {name: int(number) for name, number in table.isna().sum().items() if number}
    same = {name: number for name, number in found["nulls"].items() if number} == missing
    exam.expect("nulls counts the missing values of each column over all partitions", same,
                f"{'the same' if same else 'other numbers'} {where}")  # fmt: skip
    exam.expect(
        "nulls lists only columns with missing values",
        all(found["nulls"].values()),
        f"{len(found['nulls'])} columns, {len(missing)} have gaps",
    )
    again = int(table.duplicated(key).sum())
    exam.expect(
        "duplicates counts the rows whose key occurred before, even in another partition",
        found["duplicates"] == again,
        f"{found['duplicates']} {where}" + ("" if found["duplicates"] == again else ", which is wrong"),
    )


def _expect_kinds(exam: Examination, kinds: Any) -> None:
    is_dict = isinstance(kinds, dict)
    exam.require("kinds is a dictionary {column: kind}", is_dict, describe(kinds))
    exam.require("kinds names the seven columns", set(kinds) == set(KINDS), f"{len(set(kinds) & set(KINDS))} of them")
    words = {"nominal", "ordinal", "interval", "ratio", "time"}
    odd = sorted({str(kind) for kind in kinds.values()} - words)
    known = "Each kind is one of nominal, ordinal, interval, ratio, time"
    exam.require(known, not odd, f"not a kind: {', '.join(odd)[:60]}")
    right = sum(kinds[name] in allowed for name, allowed in KINDS.items())
    exam.expect("Each column has the right kind: what can you do with its values?", right == 7, f"{right} of 7")


@exercise("05.3", "mean_delay")
def check_mean_delay(exam: Examination, mean_delay: Any) -> None:
    """The mean per origin is right for unequal partitions with gaps, is lazy, and moves no rows."""
    for count in (1, 5):
        table = sample(exam.rng, "flights", 400, ["origin", "dep_delay", "month", "distance"])
        # Late airports are in the long partitions, so that a mean of means is far away.
        table = table.sort_values(["dep_delay", "origin"], kind="stable", na_position="first").reset_index(drop=True)
        table.loc[exam.rng.choice(400, 25, replace=False), "dep_delay"] = np.nan
        lazy = lazily(exam, mean_delay, in_parts(exam.rng, table, count))
        _expect_means(exam, computed(exam, lazy), table, count)
        from ...probes.transfers import movement

        joined = any("Repartition" in type(node).__name__ for node in lazy.expr.walk())
        moves = "rows of other partitions are put together first" if joined else movement(lazy)
        exam.expect("No rows move: partitions are unchanged, no shuffle", moves in {"none", "tree"}, f"plan: {moves}")
    from .... import datasets

    year = computed(exam, lazily(exam, mean_delay, datasets.flights(columns=["origin", "dep_delay"])))
    exam.expect(
        "For the real year, the means match an independent calculation (± 0.0001)",
        all(abs(float(year.get(name, np.nan)) - mean) < 1e-4 for name, mean in MEANS.items()),
        ", ".join(f"{name} {float(year.get(name, np.nan)):.4f}" for name in MEANS),
    )


def _expect_means(exam: Examination, found: Any, table: Any, count: int) -> None:
    is_series = hasattr(found, "index") and getattr(found, "ndim", 0) == 1
    exam.require("It is a column: one mean per origin", is_series, describe(found))
    true = table.groupby("origin")["dep_delay"].mean()
    exam.require("There is one mean for each origin", set(found.index) == set(true.index),
                 f"{len(found)} rows for {len(true)} origins")  # fmt: skip
    gap = float((found.astype(float) - true).abs().max())
    exam.expect(
        "Each departed flight counts once, whatever its partition",
        gap < 1e-9,
        f"largest difference {gap:.3g} minutes with {counted(count, 'partition')}",
    )


# Partitions: how large they should be, and which operations move rows between them.


MOVES = {
    "late flights": "none",
    "speed": "none",
    "only three carriers": "none",
    "upper case": "none",
    "total distance": "tree",
    "mean delay by origin": "tree",
    "ten longest delays": "tree",
    "sort by delay": "shuffle",
    "join each plane's flights": "shuffle",
    "apply per plane": "shuffle",
}


@exercise("05.10", "npartitions_for", "cut")
def check_partitions(exam: Examination, npartitions_for: Any, cut: Any) -> None:
    """Partitions lie in the band of the rule; a table that was cut has no partition above the limit."""
    for number in range(40):
        shuffles = bool(number % 2)
        device = int(exam.rng.integers(8, 200)) * 10**9
        table = int(device * 10.0 ** exam.rng.uniform(-3, 3))
        _expect_band(exam, exam.call(npartitions_for, table, device, shuffles), table, device, shuffles)
    for share, shuffles in ((1 / 16, True), (1 / 8, False), (1 / 2, True), (7.5, False)):  # exact fits
        device = 64 * 10**9
        table = int(device * share)
        _expect_band(exam, exam.call(npartitions_for, table, device, shuffles), table, device, shuffles)
    _expect_cut(exam, cut)


def _expect_band(exam: Examination, count: Any, table: int, device: int, shuffles: bool) -> None:
    whole = np.ndim(count) == 0 and not isinstance(count, bool) and isinstance(count, (int, np.integer))
    exam.require("npartitions_for returns a whole number, 1 or more", whole and count >= 1, f"{count!r:.40}")
    least, most = (device / 32, device / 16) if shuffles else (device / 16, device / 8)
    size = table / count
    pieces = f"{counted(count, 'partition')} of {size / 1e9:,.3f} GB"
    what = f"{table / 1e9:,.2f} GB, a device of {device / 1e9:.0f} GB: {pieces}"
    words = "with shuffles: 1/32 to 1/16" if shuffles else "without shuffles: 1/16 to 1/8"
    if table < least:
        exam.expect("A table below the range is one partition", count == 1, what)
    else:
        exam.expect(f"A partition takes, {words} of the device's memory", least <= size <= most * (1 + 1e-9), what)


def _expect_cut(exam: Examination, cut: Any) -> None:
    import pandas as pd

    sizes_of = ((1, 40_000, 60_000, 120_000), (6, 60_000, 60_000, 120_000), (3, 30_000, 6000, 9000),
                (2, 50_000, 450_000, 700_000))  # fmt: skip
    for count, rows, low, high in sizes_of:
        table = pd.DataFrame({"number": np.arange(rows), "value": exam.rng.normal(size=rows)})
        table.loc[exam.rng.choice(rows, 50, replace=False), "value"] = np.nan
        # Whole rows: Dask makes equal pieces up to one row, which must not exceed the limit.
        most = 16 * int(exam.rng.integers(low // 16, high // 16))
        with in_this_process():
            result = exam.call(cut, in_parts(exam.rng, table, count), most)
            exam.require("cut returns a lazy Dask table", hasattr(result, "to_delayed"), describe(result))
            lazy = result.to_delayed()
            needed = -(-rows * 16 // most)
            fits = exam.expect("There are at most ten times as many partitions as needed", len(lazy) <= 10 * needed,
                               f"{len(lazy)} partitions, {needed} are enough")  # fmt: skip
            if not fits:
                return
            parts = [exam.call(as_pandas, part) for part in lazy]
        sizes = [int(part.memory_usage(deep=True, index=False).sum()) for part in parts]
        found = np.concatenate([part["number"].to_numpy() for part in parts])
        same = np.array_equal(found, table["number"])
        kept = len(np.unique(found))
        told = f"{kept:,} of {rows:,} rows are there" + (f", {len(found) - kept:,} of them twice" * (len(found) > kept))
        if kept == len(found) == rows:
            told = f"all {rows:,} rows are there, in another order" * (not same)
        exam.expect("cut keeps all rows, in their order", same, told)
        exam.expect("No partition is larger than most_bytes", max(sizes) <= most,
                    f"the largest has {max(sizes):,} bytes, the limit is {most:,}")  # fmt: skip


@exercise("05.11", "moves")
def check_moves(exam: Examination, moves: Any) -> None:
    """The learner's words agree with Dask's plans, which a test compares with these ten operations."""
    exam.require("moves is a dictionary {operation: word}", isinstance(moves, dict), describe(moves))
    exam.require("moves names the ten operations", set(moves) == set(MOVES), f"{len(set(moves) & set(MOVES))} of 10")
    odd = sorted({str(word) for word in moves.values()} - {"none", "tree", "shuffle"})
    exam.require("Each word is none, tree or shuffle", not odd, f"not one of them: {', '.join(odd)[:60]}")
    for word in ("none", "tree", "shuffle"):
        mine = {name for name, said in moves.items() if said == word}
        right = {name for name, said in MOVES.items() if said == word}
        exam.expect(f"The operations with '{word}' match Dask's plans", mine == right,
                    f"you have {len(mine)}, {len(mine & right)} correctly; the plans have {len(right)}")  # fmt: skip


# The pipeline that stays where the data is.


LIMIT = 1_000_000


@exercise("05.12", "pipeline")
def check_pipeline(exam: Examination, pipeline: Any) -> None:
    """Nothing is collected on the way, the result is that of pandas, and only the result travels."""
    exam.require("It is a function", callable(pipeline), describe(pipeline))
    _expect_clean(exam, pipeline)
    _expect_little_traffic(exam, pipeline)
    for count in (1, 4):
        flights = sample(exam.rng, "flights", 1500)
        hours = real("weather").merge(flights[["origin", "time_hour"]].drop_duplicates(), on=["origin", "time_hour"])
        hours = hours.sample(frac=0.9, random_state=exam.rng).reset_index(drop=True)
        hours["visib"] = exam.rng.choice([0.5, 2.0, 3.0, 5.0, 10.0], len(hours))
        lazy = lazily(exam, pipeline, in_parts(exam.rng, flights, count), in_parts(exam.rng, hours, 1))
        _expect_result(exam, computed(exam, lazy), expected(flights, hours))


def expected(flights: Any, weather: Any) -> Any:
    """Compute the result with pandas."""
    departed = flights[flights["dep_delay"].notna()]
    joined = departed.merge(weather[["origin", "time_hour", "visib"]], on=["origin", "time_hour"])
    joined["fog"] = joined["visib"] < 3
    joined["score"] = (joined["dep_delay"] - joined["dep_delay"].mean()) / joined["dep_delay"].std()
    return joined.groupby(["origin", "fog"])["score"].agg(["count", "mean"])


def _expect_clean(exam: Examination, pipeline: Any) -> None:
    try:
        calls = collecting_calls(pipeline)
    except (OSError, TypeError, SyntaxError):
        return  # its source is not at hand; the bytes tell the same
    exam.expect(
        "Its code gathers nothing on the way: no compute, to_pandas or similar",
        not calls,
        "; ".join(f"line {line}: {code[:50]}" for line, code in calls[:3]) or "nothing of the kind",
    )


def _expect_little_traffic(exam: Examination, pipeline: Any) -> None:
    from .... import datasets

    with exam.client.as_current(), Traffic(exam.client) as traffic:
        exam.call(as_pandas, exam.call(pipeline, datasets.flights(), datasets.weather()))
    exam.expect(
        "For the real year, less than 1 MB is sent to the notebook",
        traffic.bytes < LIMIT,
        f"{traffic.bytes:,} bytes",
    )


def _expect_result(exam: Examination, found: Any, true: Any) -> None:
    names = [str(name) for name in getattr(found, "columns", [])]
    exam.require("The result has the columns count and mean", set(names) == {"count", "mean"},
                 ", ".join(names)[:60] or describe(found))  # fmt: skip
    exam.require("It has a row for each origin and fog", set(found.index) == set(true.index),
                 f"{len(found)} rows, index {found.index.names}")  # fmt: skip
    found = found.reindex(true.index)
    right = (found["count"] == true["count"]).sum()
    exam.expect(
        "count is the number of departed flights with known weather", right == len(true), f"{right} of {len(true)} rows"
    )
    gap = float(np.abs(found["mean"] - true["mean"]).max())
    exam.expect("mean is the mean normalised delay", gap < 1e-6, f"largest difference {gap:.3g}")
