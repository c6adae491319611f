"""Who asks, for the activity of a cluster."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def this_process() -> str:
    """Return what this process is to a person: a notebook, or some Python program."""
    # Whoever runs in a kernel has IPython loaded: it must not be imported to find out.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    kind = "notebook" if getattr(shell, "kernel", None) is not None else "Python"
    return f"{kind}, process {os.getpid()}"


def this_kernel() -> str | None:
    """Return the id of the Jupyter kernel that this process is; ``None`` elsewhere."""
    application = getattr(sys.modules.get("ipykernel.kernelapp"), "IPKernelApp", None)
    if application is None or not application.initialized():
        return None
    # Jupyter names the file after the kernel, and tells the kernel its id in no other way.
    name = Path(application.instance().connection_file).stem
    return name.removeprefix("kernel-") if name.startswith("kernel-") else None
