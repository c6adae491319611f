"""What one learner has done: a single JSON file in the folder they work in, and what a class may see of it.

The kernel, the Jupyter server and the command line all write it, so this package imports nothing heavy::

    from gpucluster.lessons.learner_progress import load, record

    record({"kind": "question", "id": "03.q1", "right": True})
    load().questions["03.q1"].right
"""

from .events import Event
from .model import DAYS, SCHEMA_VERSION, Progress, due_cards, is_due, now
from .recording import note, record
from .sharing import share, share_again, withdraw
from .store import (
    FILE_NAME,
    FOLDER_VARIABLE,
    ProgressUnreadable,
    edit,
    forget,
    learner_folder,
    load,
    locked,
    progress_file,
)

__all__ = [
    "DAYS",
    "FILE_NAME",
    "FOLDER_VARIABLE",
    "SCHEMA_VERSION",
    "Event",
    "Progress",
    "ProgressUnreadable",
    "due_cards",
    "edit",
    "forget",
    "is_due",
    "learner_folder",
    "load",
    "locked",
    "note",
    "now",
    "progress_file",
    "record",
    "share",
    "share_again",
    "withdraw",
]
