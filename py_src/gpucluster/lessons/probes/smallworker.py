"""One worker with little memory, for a table that is larger than it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from distributed import Client


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
    return int(max(client.run(_peak).values()))


def _peak() -> int:
    import resource
    import sys
    from pathlib import Path

    status = Path("/proc/self/status")
    if status.exists():  # unlike getrusage, it forgets what the process was before it became Python
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
