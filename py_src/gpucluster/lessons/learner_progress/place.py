"""Where the learner's progress file is."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

FILE_NAME = "gpucluster-progress.json"
FOLDER_VARIABLE = "GPUCLUSTER_LESSONS_FOLDER"
"""Environment variable that names the folder of the learner's lessons."""

COPIES = "gpucluster-lessons"
"""Name of the folder that ``gpucluster lab`` and the panel copy the lessons into."""

_LESSON = re.compile(r"[0-9]{2}-[a-z0-9-]+")


def learner_folder(start: Path | None = None) -> Path:
    """Return the folder of the learner's lessons, which holds the progress file.

    In this order: the folder that ``GPUCLUSTER_LESSONS_FOLDER`` names; the nearest folder at or above the current
    one that has the file or is named ``gpucluster-lessons``; that folder within the current one; the parent, when the
    current folder is named like a lesson; the current folder. What is somebody else's does not count, nor a file in a
    folder above where everybody may write, such as ``/tmp``.

    Parameters
    ----------
    start : pathlib.Path, optional
        Taken as the current folder.
    """
    if named := os.environ.get(FOLDER_VARIABLE):
        return Path(named).expanduser().absolute()
    here = (start or Path.cwd()).absolute()
    for folder in (here, *here.parents):
        # The second, so that a file further up, which somebody made by accident, does not part us from the panel.
        has_file = _is_own(folder / FILE_NAME, stat.S_ISREG)
        if folder.name == COPIES or (has_file and (folder == here or not _is_for_everybody(folder))):
            return folder
    if _is_own(here / COPIES, stat.S_ISDIR):
        return here / COPIES
    return here.parent if _LESSON.fullmatch(here.name) else here


def _is_own(path: Path, is_kind: Callable[[int], bool]) -> bool:
    try:
        facts = path.lstat()
    except OSError:
        return False
    return is_kind(facts.st_mode) and facts.st_uid == os.getuid()


def _is_for_everybody(folder: Path) -> bool:
    """Whether anybody may put a file there."""
    return bool(folder.stat().st_mode & stat.S_IWOTH)


def progress_file(folder: Path | None = None) -> Path:
    """Return the progress file of a folder, or of the learner's own; it need not exist."""
    return (folder or learner_folder()) / FILE_NAME
