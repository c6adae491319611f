"""What ends with its parent, and who takes those whose parent is gone.

Elsewhere than on Linux nothing of this exists: a process of its own ends what is left there (``end_descendants``).
"""

from __future__ import annotations

import ctypes
import signal

from . import LINUX

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def end_with_parent(number: signal.Signals) -> bool:
    """Let the system send this process a signal when the thread that started it ends; return whether it will."""
    return LINUX and ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number) == 0


def adopt_orphans() -> bool:
    """Become the parent of every process below this one that loses its own; return whether the system can do that."""
    return LINUX and ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
