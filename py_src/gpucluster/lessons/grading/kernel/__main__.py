"""The kernel of a submission: ``python -m gpucluster.lessons.grading.kernel -f FILE``.

An ordinary IPython kernel, once it has given up what a submission does not need. Standard input has the folders that it
may not read, each followed by a zero byte.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ..sandbox.protection import protect_kernel

if __name__ == "__main__":
    unreadable = [Path(os.fsdecode(path)) for path in sys.stdin.buffer.read().split(b"\0") if path]
    protect_kernel(Path(os.environ["HOME"]).parent, unreadable)

    from ipykernel import kernelapp
    from ipykernel.zmqshell import ZMQInteractiveShell
    from IPython.core.interactiveshell import InteractiveShell

    # Lines that begin with "!" run without a terminal of their own: terminals are closed to submissions.
    ZMQInteractiveShell.system_piped = ZMQInteractiveShell.system = InteractiveShell.system_raw  # type: ignore
    kernelapp.launch_new_instance()
