"""Who asks, for the activity of a cluster."""

from __future__ import annotations

import os
import sys


def this_process() -> str:
    """Return what this process is to a person: a notebook, or some Python program."""
    # Whoever runs in a kernel has IPython loaded: it must not be imported to find out.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    kind = "notebook" if getattr(shell, "kernel", None) is not None else "Python"
    return f"{kind}, process {os.getpid()}"
