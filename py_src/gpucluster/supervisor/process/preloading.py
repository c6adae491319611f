"""Which modules are imported before workers are forked, and when.

What a worker needs to start is imported before the first one is forked. What most computations need follows when the
cluster runs, so that it delays no start, and workers that are forked later have it.
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
    # One module at a time: a worker can be forked in between.
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
"""How long after the last request for a worker the forkserver begins to import what only later workers will have.

Not in the first seconds: users compute for the first time then, and many clusters of scripts have already ended.
"""
PRELOAD_LATER = "GPUCLUSTER_PRELOAD_LATER"
"""With ``0`` the forkserver never imports them: for nodes with many users, and clusters that never get a worker later.
It takes more than a second of one processor, and memory, in each cluster."""
RAPIDS = ("rmm", "cupy", "cudf")
"""What a GPU worker imports while it starts. The forkserver imports it for them when a cluster with GPUs requests its
first worker: not before, as a standby would hold half a gigabyte. On an H100 this created no CUDA context, workers
forked so computed correctly in all kinds of memory, and the next worker came in 0.5 s instead of 1.7 s
(``docs/gpu-proof.md``)."""
RAPIDS_SIGNAL = signal.SIGUSR1  # Sent to the forkserver when the next workers have GPUs.
PRELOAD_RAPIDS = "GPUCLUSTER_PRELOAD_RAPIDS"
"""With ``0`` each GPU worker imports RAPIDS itself; with ``1`` every standby imports it at once."""


def later_wanted() -> tuple[str, ...]:
    return () if os.environ.get(PRELOAD_LATER) == "0" else LATER


def rapids_at_once() -> bool:
    """Whether RAPIDS is imported before a cluster with GPUs is requested."""
    return os.environ.get(PRELOAD_RAPIDS) == "1"


def rapids_wanted() -> bool:
    """Whether RAPIDS is imported before a GPU worker is forked: only where all of it is installed."""
    return os.environ.get(PRELOAD_RAPIDS) != "0" and all(find_spec(module) is not None for module in RAPIDS)


def import_rapids() -> None:
    # cuDF and RMM read it on import and create no context, which a forked worker could not use.
    os.environ["RAPIDS_NO_INITIALIZE"] = "True"
    import_each(RAPIDS)


def import_each(modules: Iterable[str]) -> None:
    """Import these modules; one that is missing or broken must not keep workers from starting."""
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception as error:
            print(f"Not preloaded: {module}: {type(error).__name__}: {error}", file=sys.stderr)
