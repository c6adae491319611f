"""What lesson 05 measures with, and the files that it writes."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...probes.placement import places_of

if TYPE_CHECKING:
    from distributed import Client


# Where does a function fetch whole tables? It is read, not run.


COLLECTING = {"compute", "to_pandas", "to_numpy", "get", "persist", "gather"}
"""Names of methods that bring results to the notebook, or make the workers calculate before the end."""
_WITHOUT_ARGUMENTS = {"get"}  # of a device array; dict.get and others take arguments
_CONVERTING = {"pd.DataFrame", "pandas.DataFrame", "np.asarray", "np.array", "numpy.asarray", "list", "dict"}


def collecting_calls(function: Callable[..., Any] | str) -> list[tuple[int, str]]:
    """Return the calls in a function that collect or convert, as (line, code).

    Parameters
    ----------
    function : callable or str
        A function that was written in a cell or a file, or its source.

    Returns
    -------
    list of tuple
        Empty when the function leaves everything where it is. Lines count from 1, the line of ``def``.

    Raises
    ------
    OSError
        When the source cannot be found.
    """
    source = function if isinstance(function, str) else inspect.getsource(function)
    calls = (node for node in ast.walk(ast.parse(textwrap.dedent(source))) if isinstance(node, ast.Call))
    return sorted((call.lineno, ast.unparse(call)) for call in calls if _collects(call))


def _collects(call: ast.Call) -> bool:
    name = call.func
    if isinstance(name, ast.Attribute) and name.attr in COLLECTING:
        return name.attr not in _WITHOUT_ARGUMENTS or not (call.args or call.keywords)
    return ast.unparse(name) in _CONVERTING


# Where the rows of a table were, and where a shuffle has put them.


RowsMoved = dict[str, dict[str, int]]


def where_rows_went(
    client: Client, before: Any, after: Any, column: str, names: Sequence[str]
) -> tuple[RowsMoved, dict[str, str]]:
    """Count the rows that came from each partition into each other one, and find the worker of each.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.
    before, after : dask.dataframe.DataFrame
        Persisted, before and after a shuffle.
    column : str
        A column that tells where a row was: the same number in all rows of a partition of ``before``, another one in
        each.
    names : sequence of str
        What to call the partitions of ``before``.

    Returns
    -------
    tuple of dict
        Rows by partition before and partition after, and the worker of each partition, by their names.
    """
    from distributed import futures_of, wait

    wait([before, after])
    new = [f"part {number}" for number in range(after.npartitions)]
    values = [next(iter(one)) for one in _counts(client, before, column)]
    named = dict(zip(values, names, strict=True))
    rows: RowsMoved = {name: {} for name in names}
    for target, counts in zip(new, _counts(client, after, column), strict=True):
        for value, count in counts.items():
            rows[named[value]][target] = count
    workers: dict[str, str] = {}
    for table, called in ((before, names), (after, new)):
        # Keys end with the number of the partition.
        futures = sorted(futures_of(table), key=lambda future: int(future.key[-1]))
        workers.update(zip(called, places_of(client, futures), strict=True))
    return rows, workers


def _counts(client: Client, table: Any, column: str) -> list[dict[Any, int]]:
    parts = client.compute(table.to_delayed())
    found: list[dict[Any, int]] = client.gather(client.map(_values_of, parts, column=column))
    return found


def _values_of(part: Any, column: str) -> dict[Any, int]:
    counts = part[column].value_counts()
    return dict(zip(counts.index.to_numpy().tolist(), counts.to_numpy().tolist(), strict=True))


# The flights as files of text, one for each month, as they come from an office that publishes them.


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

    from ....datasets import flights

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
