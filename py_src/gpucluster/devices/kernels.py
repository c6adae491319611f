"""Finds the kernels among this user's processes, and their notebooks, as far as the processes reveal it."""

from __future__ import annotations

import re
from pathlib import PurePath

import psutil

_CONNECTION_FILE = re.compile(r"kernel-([\w-]+)\.json")
_NAME_OF_NOTEBOOK = "JPY_SESSION_NAME"  # Jupyter servers set this variable of a kernel to its notebook's path.


def notebook_of(pid: int) -> str | None:
    """Return the path of the notebook whose kernel a process is, or ``kernel ID`` if only that is known.

    A process that is not a kernel, or is another user's, has none.
    """
    try:
        process = psutil.Process(pid)
        files = (_CONNECTION_FILE.fullmatch(PurePath(word).name) for word in process.cmdline()[1:])
        kernel = next((found[1] for found in files if found is not None), None)
        if kernel is None:  # What a kernel has started inherits the variable, but not the file.
            return None
        return process.environ().get(_NAME_OF_NOTEBOOK) or f"kernel {kernel.split('-')[0]}"
    except (psutil.Error, OSError):
        return None
