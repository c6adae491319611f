"""Which modules are imported before workers are forked, and when.

What a worker needs to start is imported before the first one is forked. What most computations need comes when the
cluster is up: nobody waits for it, and workers that are forked later have it.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Iterable
from importlib.util import find_spec

FIRST = (
    "numpy",
    "numpy.random",
    "distributed",
    "distributed.nanny",
    "distributed.worker",
    "distributed.comm.tcp",
    "distributed.diagnostics.nvml",
    "distributed.protocol.numpy",
    "distributed.shuffle",
    "tornado.platform.asyncio",
    "gpucluster.comm.backend",
    "gpucluster.telemetry.report",
)
LATER = (
    # In small steps: between two of them a worker can be forked.
    "pyarrow",
    "pandas",
    "dask.array",
    "dask.dataframe",
    "scipy.sparse",
    "scipy.optimize",
    "scipy.stats",
    "sklearn.utils",
    "sklearn.cluster",
    "sklearn.decomposition",
)
QUIET_SECONDS = 10.0
"""So long after it was asked for a worker the forkserver begins to import what only later workers will have.

Not in the first seconds: then a user computes for the first time, and many a cluster has ended that scripts make.
"""
PRELOAD_LATER = "GPUCLUSTER_PRELOAD_LATER"
"""With ``0`` in it the forkserver never imports them: for nodes that many share, and clusters that never get a worker
later. It takes more than a second of one processor, and memory, in each cluster."""
RAPIDS = ("rmm", "cupy", "cudf")
"""What a GPU worker imports while it starts. The process that workers are forked from imports it for them, when a
cluster with GPUs asks for its first worker: not before, as a process that waits for a cluster would hold half a
gigabyte. On an H100 no CUDA context came from that, workers forked so computed right in all kinds of memory, and the
next worker came in 0.5 s instead of 1.7 s (``docs/gpu-proof.md``)."""
RAPIDS_SIGNAL = signal.SIGUSR1  # What the process that workers are forked from receives when the next ones have GPUs.
PRELOAD_RAPIDS = "GPUCLUSTER_PRELOAD_RAPIDS"
"""With ``0`` in it each GPU worker imports RAPIDS itself; with ``1`` it is imported at once, by any process that waits
for a cluster."""


def later_wanted() -> tuple[str, ...]:
    return () if os.environ.get(PRELOAD_LATER) == "0" else LATER


def rapids_at_once() -> bool:
    """Return whether RAPIDS is imported before anybody asks for a cluster with GPUs."""
    return os.environ.get(PRELOAD_RAPIDS) == "1"


def rapids_wanted() -> bool:
    """Return whether RAPIDS is imported before a GPU worker is forked: not where it is not installed as a whole."""
    return os.environ.get(PRELOAD_RAPIDS) != "0" and all(find_spec(module) is not None for module in RAPIDS)


def import_rapids() -> None:
    # Read by cuDF and RMM when they are imported: no context, which a forked worker could not use.
    os.environ["RAPIDS_NO_INITIALIZE"] = "True"
    import_each(RAPIDS)


def import_each(modules: Iterable[str]) -> None:
    """Import these modules; one that is missing or broken must not keep workers from starting."""
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception as error:
            print(f"Not preloaded: {module}: {type(error).__name__}: {error}", file=sys.stderr)
