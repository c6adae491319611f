"""The plugin that the scheduler registers on each worker, present and future."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .device import this_host

if TYPE_CHECKING:
    from distributed import Worker

PLUGIN = "gpucluster-telemetry"


def pickled_plugin(*, devices: bool) -> bytes:
    """Return the pickled plugin for the scheduler.

    Its class is sent by value: a worker in an environment without gpucluster, or with another version of it, starts
    anyway and reports only what Dask itself measures.
    """
    import cloudpickle
    from distributed import WorkerPlugin

    class Telemetry(WorkerPlugin):
        def __init__(self, options: dict[str, Any]) -> None:
            self.options = options
            self.report: Any = None

        def setup(self, worker: Worker) -> None:
            import logging

            try:
                from gpucluster.dask_internals.periodic_callbacks import rest_while_idle
                from gpucluster.dask_internals.workers.worker_state import set_metric
                from gpucluster.telemetry.columns import METRIC
                from gpucluster.telemetry.report import AT_REST, WorkerReport

                self.report = WorkerReport(worker, **self.options)
                set_metric(worker, METRIC, self.report)
                rest_while_idle(worker, **AT_REST)
            except Exception as error:  # An error in here would keep the worker from starting.
                logging.getLogger("gpucluster.telemetry").warning(
                    "This worker cannot report all metrics (%s: %s)", type(error).__name__, error
                )

        def teardown(self, worker: Worker) -> None:
            if self.report is not None:
                from gpucluster.dask_internals.workers.worker_state import remove_metric
                from gpucluster.telemetry.columns import METRIC

                remove_metric(worker, METRIC)
                self.report.close()

    options = {"host": this_host(), "supervisor": os.getpid(), "devices": devices}
    pickled: bytes = cloudpickle.dumps(Telemetry(options))
    return pickled
