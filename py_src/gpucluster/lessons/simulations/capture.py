"""Tables with the names, columns and units that ``nsys export --type sqlite`` writes, from the simulated pipeline.

A simulation, not a recording: kernels have invented names, and take the seconds that the pipeline gives them. Only the
columns that the lesson reads are there; a real export has more.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .pipeline import Pipeline, schedule

TO_DEVICE, TO_HOST, ON_DEVICE = 1, 2, 8
"""Numbers of CUPTI for the kinds of copies."""
_SECOND = 1_000_000_000


class Kernel(NamedTuple):
    """One kernel; times in nanoseconds."""

    start: int
    end: int
    device: int
    stream: int
    name: str


class Copy(NamedTuple):
    """One copy; times in nanoseconds."""

    start: int
    end: int
    device: int
    stream: int
    n_bytes: int
    kind: int


def export(kernels: Iterable[Kernel], copies: Sequence[Copy]) -> sqlite3.Connection:
    """Return a database in memory. As with ``nsys``, a table of which there would be no row is not there."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL)")
    names: dict[str, int] = {}
    rows = [(one.start, one.end, one.device, one.stream, names.setdefault(one.name, len(names))) for one in kernels]
    connection.executemany("INSERT INTO StringIds VALUES (?, ?)", [(number, name) for name, number in names.items()])
    if rows:
        connection.execute(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, "
            "deviceId INTEGER NOT NULL, streamId INTEGER NOT NULL, shortName INTEGER NOT NULL)"
        )
        connection.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, ?, ?)", rows)
    if copies:
        connection.execute(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, "
            "deviceId INTEGER NOT NULL, streamId INTEGER NOT NULL, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL)"
        )
        connection.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?, ?, ?, ?, ?, ?)", copies)
    connection.commit()
    return connection


def captured(given: Pipeline, device: int = 0) -> tuple[list[Kernel], list[Copy]]:
    """Return kernels and copies of a pipeline: each batch has four kernels, two of them side by side."""
    kernels: list[Kernel] = []
    copies: list[Copy] = []
    for span in schedule(given):
        start, stop = round(span.start * _SECOND), round(span.stop * _SECOND)
        quarter = (stop - start) // 4
        if span.lane == "kernels":
            kernels += [
                Kernel(start, start + quarter, device, 7, "transform"),
                Kernel(start + quarter, start + 3 * quarter, device, 7, "distances"),
                Kernel(start + quarter, start + 2 * quarter, device, 13, "norms"),
                Kernel(start + 3 * quarter, stop, device, 7, "reduce"),
            ]
        elif span.lane == "copy in":
            copies.append(Copy(start, stop, device, 7, given.batch_bytes, TO_DEVICE))
        elif span.lane == "copy out":
            copies.append(Copy(start, stop, device, 7, given.result_bytes, TO_HOST))
    return kernels, copies


def simulated_capture() -> sqlite3.Connection:
    """Return the capture that the lesson queries: eight batches, none of them loaded ahead."""
    given = Pipeline(batches=8, load=0.030, copy_in=0.010, kernels=0.024, copy_out=0.002)
    return export(*captured(given))
