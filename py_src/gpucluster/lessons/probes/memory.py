"""How much memory a calculation or a worker needs at its worst moment, and a worker that has little of it."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ...operating_system.resources import peak_resident_bytes

if TYPE_CHECKING:
    from distributed import Client


class TracingEnded(RuntimeError):
    """What was measured has switched the measuring off."""


def peak_bytes(function: Callable[..., Any], *args: Any, **kwargs: Any) -> int:
    """Call a function and return the most memory it held at once, in bytes.

    Counts what Python and NumPy allocate during the call, the result included, the arguments not.
    """
    return measure_peak(function, *args, **kwargs)[1]


def measure_peak(function: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, int]:
    """Like `peak_bytes`, but return the function's result as well."""
    elsewhere = getattr(type(function), "measure_peak", None)
    if elsewhere is not None:  # the function runs in another process, which has to look for itself
        found: tuple[Any, int] = elsewhere(function, *args, **kwargs)
        return found
    already = tracemalloc.is_tracing()
    if not already:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        result = function(*args, **kwargs)
        if not tracemalloc.is_tracing():
            raise TracingEnded("your code stopped tracemalloc, which measures its memory")
        return result, max(0, tracemalloc.get_traced_memory()[1] - before)
    finally:
        if not already:
            tracemalloc.stop()


@contextmanager
def small_worker(memory_limit: str = "400 MiB") -> Iterator[Client]:
    """Start a cluster of one worker with little host memory, make its client the current one, and stop it at the end.

    Tables made inside the block are pandas tables, whatever the lesson's own workers take: a limit on host memory says
    nothing about the memory of a device.

    Parameters
    ----------
    memory_limit : str
        Of the worker's process. Dask ends the worker at 95 % of it.

    Yields
    ------
    distributed.Client
    """
    import dask

    from ...client import api

    cluster: Any = api.create("local", name=f"small-{uuid4().hex[:6]}", n_workers=1, memory_limit=memory_limit)
    try:
        libraries = {"dataframe.backend": "pandas", "array.backend": "numpy"}
        with dask.config.set(libraries), cluster.get_client(set_as_default=False) as client, client.as_current():
            yield client
    finally:
        cluster.stop()


def peak_memory(client: Client) -> int:
    """Return the most host memory that any of the workers' processes ever had, in bytes."""
    return int(max(client.run(peak_resident_bytes).values()))
