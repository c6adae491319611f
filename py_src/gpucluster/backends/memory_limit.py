"""The plugin that lowers the memory limit of workers: of those that run, and of those that are starting."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed import Worker

PLUGIN = "gpucluster-memory-limit"


def pickled_limit(limit_bytes: int) -> bytes:
    """Return the plugin that lowers the limit of each worker; its class is sent by value."""
    import cloudpickle
    from distributed import WorkerPlugin

    class MemoryLimit(WorkerPlugin):
        def __init__(self, limit_bytes: int) -> None:
            self.limit_bytes = limit_bytes

        def setup(self, worker: Worker) -> None:
            from gpucluster.dask_internals.memory_limits import lower_worker_limit

            lower_worker_limit(worker, self.limit_bytes)

    pickled: bytes = cloudpickle.dumps(MemoryLimit(limit_bytes))
    return pickled
