"""Imported once in the forkserver: every worker starts as a copy of a process that has imported this.

Nothing in here may start threads, open sockets or touch CUDA. On GPU machines the RAPIDS modules are left
out until it is proved on real hardware that importing them leaves no CUDA context in the parent.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import signal
import sys

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
_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends (Linux; elsewhere the pipes do it, later)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _import_modules() -> None:
    for module in MODULES:
        try:
            importlib.import_module(module)
        except Exception as error:  # An optional or broken package must not keep workers from starting.
            print(f"Not preloaded: {module}: {type(error).__name__}: {error}", file=sys.stderr)


# A fork server's workers are its children: both links of the chain are needed.
die_with_parent()
os.register_at_fork(after_in_child=die_with_parent)
_import_modules()
# Keep the garbage collector from touching, and so copying, the pages that workers share.
gc.freeze()
