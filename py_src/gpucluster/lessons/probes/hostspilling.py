"""A worker of Dask with so little memory that it has to write results to disk."""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...dask_internals.scheduler_information import known_workers
from ...dask_internals.spilling import managed_bytes, spilled_bytes

if TYPE_CHECKING:
    from distributed import Client


_TRIES, _PAUSE = 100, 0.05


def _held(dask_worker: Any) -> tuple[int, int, int]:
    spilled = spilled_bytes(dask_worker)
    assert spilled is not None
    return int(managed_bytes(dask_worker)), int(spilled.memory), int(spilled.disk)


@dataclass(frozen=True)
class SmallWorker:
    """The worker.

    Attributes
    ----------
    client : distributed.Client
        Connected to it.
    folder : pathlib.Path
        Below this one it writes what does not fit.
    """

    client: Client
    folder: Path

    def files(self) -> list[Path]:
        """Return the files that hold results."""
        return [path for path in self.folder.rglob("storage/*") if path.is_file()]

    def files_left(self) -> int:
        """Return how many files are there when the worker has deleted what nobody needs."""
        for _ in range(_TRIES):
            if not (left := self.files()):
                break
            time.sleep(_PAUSE)
        return len(left)

    def settled(self) -> tuple[int, int]:
        """Wait until the scheduler knows what the worker knows; return the bytes in memory and those on disk."""
        for _ in range(_TRIES):
            [known] = self.client.run(_held).values()
            [worker] = known_workers(self.client).values()
            spilled = worker["metrics"]["spilled_bytes"]
            if (worker["metrics"]["managed_bytes"], spilled["memory"], spilled["disk"]) == known:
                break
            time.sleep(_PAUSE)
        managed, spilled_memory, spilled_disk = known
        return managed - spilled_memory, spilled_disk


@contextmanager
def spilling_worker(memory_limit: str = "100 MB", target: float = 0.6) -> Iterator[SmallWorker]:
    """One worker as a thread of this process, which writes results to disk above a share of its limit.

    Of Dask's four thresholds only ``target`` acts: the others look at the memory of the process, and this process is
    the notebook.
    """
    import dask
    from distributed import Client, LocalCluster

    thresholds = {"target": target, "spill": False, "pause": False, "terminate": False}
    with tempfile.TemporaryDirectory(prefix="gpucluster-", ignore_cleanup_errors=True) as folder:
        settings: dict[str, Any] = {f"distributed.worker.memory.{name}": value for name, value in thresholds.items()}
        settings |= {
            "temporary-directory": folder,
            "distributed.scheduler.active-memory-manager.start": False,
            "dataframe.backend": "pandas",
            "array.backend": "numpy",
        }
        with (
            dask.config.set(settings),
            LocalCluster(
                n_workers=1,
                threads_per_worker=1,
                processes=False,
                dashboard_address="127.0.0.1:0",
                worker_dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                memory_limit=memory_limit,
                silence_logs=logging.CRITICAL,
            ) as cluster,
            Client(cluster, set_as_default=False) as client,
        ):
            client.wait_for_workers(1)
            yield SmallWorker(client, Path(folder))
