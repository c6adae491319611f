"""Which processes of this user are kernels, and of which notebooks: as far as the processes themselves tell."""

from __future__ import annotations

import re
from pathlib import PurePath

import psutil

_CONNECTION_FILE = re.compile(r"kernel-([\w-]+)\.json")
_NAME_OF_NOTEBOOK = "JPY_SESSION_NAME"  # Jupyter servers tell a kernel its notebook's path in this variable.


def notebook_of(pid: int) -> str | None:
    """Return the path of the notebook whose kernel a process is, or ``kernel ID`` where only that is known.

    A process that is no kernel, or somebody else's, has none.
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
