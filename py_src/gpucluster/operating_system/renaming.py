"""Names of files exchanged in one step, where the system can do that."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from . import LINUX

_HERE = -100
_RENAME_EXCHANGE = 2


def exchange_names(one: Path, other: Path) -> bool:
    """Let each of two files have the name of the other, with nothing in between; return whether that was done."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if LINUX else None
    return rename is not None and rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _RENAME_EXCHANGE) == 0
