"""Hidden tables for the checks of lesson 05: real rows, drawn at random, cut into unequal partitions."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from ....dask_internals.collections import name as name_of
from ....protocol.plain_text import counted
from ...examination import Examination, describe
from ...material.conversion import as_pandas


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
        "Each flight is there once, with or without a partner",
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
        "The columns of the flights keep their names and values",
        not changed,
        f"changed: {', '.join(changed)}" if changed else "unchanged",
    )


def _equal(one: Any, other: Any) -> bool:
    if one.dtype.kind == "f" or other.dtype.kind == "f":
        return bool(np.allclose(one.astype(float), other.astype(float), equal_nan=True))
    missing = one.isna().to_numpy()
    return bool(np.array_equal(missing, other.isna().to_numpy()) and (one[~missing] == other[~missing]).all())
