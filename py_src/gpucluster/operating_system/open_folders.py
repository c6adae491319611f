"""Folders that are everybody's."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def everybody_may_fill(folder: str) -> bool:
    """Whether any user of the machine could put a file into this folder, or another folder in its place.

    Raises
    ------
    OSError
        It cannot be looked at.
    """
    place = Path(os.path.realpath(folder))
    if place.stat().st_mode & stat.S_IWOTH:
        return True
    above = (parent.stat().st_mode for parent in place.parents)
    # With the sticky bit, as /tmp has it, nobody moves what belongs to somebody else.
    return any(mode & stat.S_IWOTH and not mode & stat.S_ISVTX for mode in above)
