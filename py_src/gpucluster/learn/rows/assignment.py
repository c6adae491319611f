"""Which worker is asked for which block: remembered from one computation on a table to the next.

Asking the scheduler who keeps a table takes 3 ms, as much as several passes over a small one. What is remembered may
be out of date, so whoever is asked looks whether it has its blocks, and says so when it has not.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ...dask_internals.collections import keys
from .placement import block_bytes
from .table import Table

MOST_TABLES = 8
"""So many tables are remembered for each client."""


class Asked(NamedTuple):
    """What a worker is to do with one block."""

    number: int
    start: int | None
    keys: tuple[Any, ...]
    """Of X, y and weights; ``None`` for what there is not."""
    holders: tuple[str, ...]
    """Who keeps each of them."""


class Assignment(NamedTuple):
    """Which worker is asked for which blocks of a table."""

    asked: dict[str, list[Asked]]
    """By the worker's address."""
    thread_bytes: float
    """The most that one of them has for each of its threads."""


_known: WeakKeyDictionary[Any, dict[Any, Assignment]] = WeakKeyDictionary()
"""For each client by the keys of the table, the last ones used at the end."""
_lock = threading.Lock()


def assigned(client: Any, table: Table, thread_bytes: float) -> dict[str, list[Asked]] | None:
    """Return for each worker the blocks it is asked for: those it keeps, as evenly as that is possible.

    Parameters
    ----------
    client : distributed.Client
    table : Table
        Kept on workers.
    thread_bytes : float
        The most that a worker may have for each of its threads.

    Returns
    -------
    dict or None
        By the worker's address; ``None`` where a block was not found, or a worker would have more.
    """
    name = _name(table)
    with _lock:
        tables = _known.setdefault(client, {})
        assignment = tables.pop(name, None)
    if assignment is None:
        assignment = _asked_for(client, table)
    if assignment is None:
        return None
    with _lock:
        tables[name] = assignment
        while len(tables) > MOST_TABLES:
            del tables[next(iter(tables))]
    return assignment.asked if assignment.thread_bytes <= thread_bytes else None


def forget_assigned(client: Any, table: Table) -> None:
    """Ask the scheduler the next time: somebody who was asked had a block no more, or was not there."""
    with _lock:
        _known.get(client, {}).pop(_name(table), None)


def _parts(table: Table) -> list[Any]:
    return [None if part is None else keys(part) for part in (table.X, table.y, table.weights)]


def _name(table: Table) -> tuple[Any, ...]:
    return tuple(None if part is None else tuple(part) for part in _parts(table))


def _asked_for(client: Any, table: Table) -> Assignment | None:
    """Ask the scheduler who keeps the blocks; ``None`` where one was not found."""
    from distributed import futures_of

    from ...dask_internals.scheduler_information import kept

    parts = _parts(table)
    _, who_has, workers = kept(client, [future.key for future in futures_of(table.collections)])
    asked: dict[str, list[Asked]] = {}
    load: dict[str, int] = {}
    for number, (start, size) in enumerate(zip(table.starts(), block_bytes(table), strict=True)):
        own = tuple(None if part is None else part[number] for part in parts)
        holders = [() if key is None else tuple(who_has.get(key, ())) for key in own]
        if not all(each or key is None for each, key in zip(holders, own, strict=True)):
            return None
        address = min(holders[0], key=lambda each: load.get(each, 0))
        load[address] = load.get(address, 0) + size
        kept_by = tuple(address if address in each or not each else each[0] for each in holders)
        asked.setdefault(address, []).append(Asked(number, start, own, kept_by))
    if not workers.keys() >= load.keys():
        return None
    return Assignment(asked, max((size / workers[address]["nthreads"] for address, size in load.items()), default=0.0))
