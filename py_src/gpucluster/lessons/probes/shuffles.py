"""Where the rows of a table were, and where a shuffle has put them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .placement import places_of

if TYPE_CHECKING:
    from distributed import Client

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
