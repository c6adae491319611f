"""The plugin that bounds what each worker spills: those that are there, and those that come later."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed import Worker

BOUND = "gpucluster-scratch"


def pickled_bound(limit_bytes: int | None) -> bytes:
    """Return the plugin as the scheduler keeps it; its class is sent by value, as that of ``telemetry.plugin``."""
    import cloudpickle
    from distributed import WorkerPlugin

    class SpillBound(WorkerPlugin):
        def __init__(self, limit_bytes: int | None) -> None:
            self.limit_bytes = limit_bytes

        def setup(self, worker: Worker) -> None:
            import logging

            try:
                from gpucluster.dask_internals.spilling import bound_spilling, spills_no_more
                from gpucluster.dask_internals.worker_state import set_metric
                from gpucluster.telemetry.columns import SPILL_METRIC

                if bound_spilling(worker, self.limit_bytes):
                    set_metric(worker, SPILL_METRIC, spills_no_more)
            except Exception as error:  # An error in here would keep the worker from starting.
                logging.getLogger("gpucluster.supervisor").warning(
                    "What this worker spills cannot be bounded (%s: %s)", type(error).__name__, error
                )

    pickled: bytes = cloudpickle.dumps(SpillBound(limit_bytes))
    return pickled
