"""What one learner has done: a single JSON file in the folder they work in.

The kernel, the Jupyter server and the command line all write it, so this package imports nothing but pydantic and
the standard library::

    from gpucluster.lessons.progress import load, record

    record({"kind": "question", "id": "03.q1", "right": True})
    load().questions["03.q1"].right
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from .events import Event
from .leitner import DAYS, is_due
from .model import SCHEMA_VERSION, Progress, now
from .place import FILE_NAME, FOLDER_VARIABLE, learner_folder, progress_file
from .recording import note, record
from .store import ProgressUnreadable, edit, forget, held, load

__all__ = [
    "DAYS",
    "FILE_NAME",
    "FOLDER_VARIABLE",
    "SCHEMA_VERSION",
    "Event",
    "Progress",
    "ProgressUnreadable",
    "edit",
    "forget",
    "held",
    "is_due",
    "learner_folder",
    "load",
    "note",
    "now",
    "progress_file",
    "record",
]


class _Progress(ModuleType):
    """This module, which can be called: ``lessons.progress()``. Importing a package sets its name in the one above."""

    def __call__(self) -> Any:
        """Show the learner's own progress."""
        from ..study.overview import progress

        return progress()


sys.modules[__name__].__class__ = _Progress
