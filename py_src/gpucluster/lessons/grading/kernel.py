"""The kernel of a submission: ``python -m gpucluster.lessons.grading.kernel -f FILE``.

An ordinary IPython kernel, once it has given up what a submission does not need.
"""

from __future__ import annotations

import os
from pathlib import Path

from .cage import HIDDEN_VARIABLE, confine

if __name__ == "__main__":
    hidden = [Path(path) for path in os.environ.pop(HIDDEN_VARIABLE).split(os.pathsep) if path]
    confine(Path(os.environ["HOME"]).parent, hidden=hidden, signals=True)

    from ipykernel import kernelapp

    kernelapp.launch_new_instance()
