"""Which size of each workload is measured: one that was asked for, or the largest that memory and time allow."""

from __future__ import annotations

import time

from .names import SIZES, Size
from .timing import Prepared, prepared
from .workload import Context, Workload

SHARE = 0.5
"""Of the workers' memory: Dask begins to spill at 0.6."""


class Sizes:
    """Decides the sizes where there are fewest workers; with more of them, they stay what they were.

    Parameters
    ----------
    wanted : str
        One of ``tiny``, ``small``, ``medium``, ``large``.
    seconds : float or None
        Instead: how long one workload may take on one number of workers. Sizes grow from the smallest.
    memory_bytes : int or None
        Of all workers together where they are fewest; ``None``: no limit is known.
    repeats : int
        Runs that will be measured.
    """

    def __init__(self, wanted: Size, seconds: float | None, memory_bytes: int | None, repeats: int) -> None:
        self._wanted: Size = SIZES[-1] if seconds is not None else wanted
        self._seconds = seconds
        self._memory = memory_bytes
        self._repeats = repeats
        self._decided: dict[str, Size] = {}
        self.notes: list[str] = []

    def prepared(self, workload: Workload, context: Context) -> Prepared | None:
        """Return the workload with its data, run once; ``None`` where no size fits into the memory."""
        if workload.name in self._decided:
            return prepared(workload, context, self._decided[workload.name])
        largest = largest_that_fits(workload, self._wanted, self._memory)
        if largest is None:
            return None
        if self._seconds is None:
            if largest != self._wanted:
                self.notes.append(
                    f"{workload.name}: '{self._wanted}' does not fit into half of the workers' memory, so '{largest}' "
                    "was measured."
                )
            ready = prepared(workload, context, largest)
        else:
            ready = self._grown(workload, context, largest, self._seconds)
        self._decided[workload.name] = ready.size
        return ready

    def _grown(self, workload: Workload, context: Context, largest: Size, seconds: float) -> Prepared:
        began = time.perf_counter()
        size = SIZES[0]
        ready = prepared(workload, context, size)
        while True:
            # The first run of anything is slow; the second one tells how long the others take.
            started = time.perf_counter()
            workload.run(ready.data)
            each = time.perf_counter() - started
            left = seconds - (time.perf_counter() - began)
            if size != SIZES[0] and each * self._repeats > left:
                smaller = SIZES[SIZES.index(size) - 1]
                ready.data = None  # The workers need the room.
                return prepared(workload, context, smaller)
            if size == largest:
                return ready
            larger = SIZES[SIZES.index(size) + 1]
            factor = work(workload, larger) / work(workload, size)
            # Small sizes take longer than their work, so this is the most that trying the next one can take: its data,
            # a run that does not count and one that tells.
            if factor == 1 or 3 * each * factor > left:
                return ready
            ready.data = None
            ready, size = prepared(workload, context, larger), larger


def largest_that_fits(workload: Workload, wanted: Size, memory_bytes: int | None) -> Size | None:
    """Return the wanted size, or the largest smaller one that fits into half of the memory; ``None`` if none does."""
    for size in reversed(SIZES[: SIZES.index(wanted) + 1]):
        if memory_bytes is None or workload.memory_bytes(workload.sizes[size]) <= SHARE * memory_bytes:
            return size
    return None


def work(workload: Workload, size: Size) -> float:
    """Return what the time of a run is about proportional to."""
    parameters = workload.sizes[size]
    if "queries" in parameters:  # Each query is compared with each row.
        return float(parameters["queries"] * parameters["rows"])
    return workload.amount(parameters) if workload.amount is not None else 1.0
