"""Which modules are imported before workers are forked, and when.

What a worker needs to start is imported before the first one is forked. What most computations need comes when the
cluster is up: nobody waits for it, and workers that are forked later have it.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable

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
RAPIDS = ("rmm", "cupy", "cudf", "dask_cudf")
"""Left out, unless ``GPUCLUSTER_PRELOAD_RAPIDS=1`` asks for them, until it is proved on real hardware that importing
them leaves no CUDA context in the process that workers are forked from; ``python -m benchmarks.gpu --only starts``
looks."""


def later_wanted() -> tuple[str, ...]:
    """Return the modules that are to be imported when the cluster is up."""
    return () if os.environ.get(PRELOAD_LATER) == "0" else LATER


def rapids_wanted() -> tuple[str, ...]:
    """Return the modules of RAPIDS that are to be imported before workers are forked."""
    if os.environ.get("GPUCLUSTER_PRELOAD_RAPIDS") != "1":
        return ()
    # Read by cuDF and RMM when they are imported: no context, which a forked worker could not use.
    os.environ["RAPIDS_NO_INITIALIZE"] = "True"
    return RAPIDS


def import_each(modules: Iterable[str]) -> None:
    """Import these modules; one that is missing or broken must not keep workers from starting."""
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception as error:
            print(f"Not preloaded: {module}: {type(error).__name__}: {error}", file=sys.stderr)
