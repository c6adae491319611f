"""Imported once in the forkserver: every worker starts as a copy of a process that has imported this.

Nothing in here may start threads, open sockets or touch CUDA. On GPU machines the RAPIDS modules are left out,
unless ``GPUCLUSTER_PRELOAD_RAPIDS=1`` asks for them, until it is proved on real hardware that importing them leaves no
CUDA context in the parent; ``python -m benchmarks.gpu --only starts`` looks.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import warnings

from ..dask_internals.listening import serve_no_worker_pages
from .process_tree import tie_to_parent

MODULES = (
    "distributed",
    "distributed.nanny",
    "distributed.worker",
    "distributed.comm.tcp",
    "distributed.diagnostics.nvml",
    "distributed.protocol.numpy",
    "distributed.shuffle",
    "numpy",
    "numpy.random",
    "pandas",
    "pyarrow",
    "dask.array",
    "dask.dataframe",
    "sklearn.cluster",
    "sklearn.decomposition",
    "gpucluster.telemetry.report",
)
RAPIDS = ("rmm", "cupy", "cudf", "dask_cudf")


def _import_modules() -> None:
    modules: tuple[str, ...] = MODULES
    if os.environ.get("GPUCLUSTER_PRELOAD_RAPIDS") == "1":
        # Read by cuDF and RMM when they are imported: no context, which a forked worker could not use.
        os.environ["RAPIDS_NO_INITIALIZE"] = "True"
        modules += RAPIDS
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception as error:  # An optional or broken package must not keep workers from starting.
            print(f"Not preloaded: {module}: {type(error).__name__}: {error}", file=sys.stderr)


tie_to_parent()
# Orphans that this process has adopted come to their end like its own children.
warnings.filterwarnings("ignore", message="forkserver: waitpid returned unexpected pid")
_import_modules()
serve_no_worker_pages()
# Keep the garbage collector from touching, and so copying, the pages that workers share.
gc.freeze()
