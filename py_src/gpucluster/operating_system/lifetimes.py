"""Which processes end with their parent, and which process adopts orphans.

Systems other than Linux have neither: a separate process ends what is left there (``end_descendants``).
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from . import LINUX

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def end_with_parent(number: signal.Signals) -> bool:
    """Let the system signal this process when the thread that started it ends; return whether it will."""
    return LINUX and ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number) == 0


def adopt_orphans() -> bool:
    """Become the parent of all orphans below this process; return whether the system can do that."""
    return LINUX and ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


_AUTOGROUP = Path("/proc/self/autogroup")
_TRIES = 3
_PAUSE_SECONDS = 0.15  # The kernel accepts one change each tenth of a second, over all users.


def yield_to_sessions(nice: int) -> None:
    """Give the processes of this session together less than those of other sessions; waits a moment at most.

    Linux first shares processors between sessions (autogroup, sched(7)), unless control groups do so; niceness only
    counts within a session. Without such groups, nothing happens.

    `nice`: from 1 to 19; 5 is a third of what others get.
    """
    with suppress(OSError):
        for _ in range(_TRIES):
            try:
                _AUTOGROUP.write_text(f"{nice}\n")
                return
            except BlockingIOError:
                time.sleep(_PAUSE_SECONDS)


def yield_to_processes(nice: int) -> None:
    """Give this process, and those it starts from now on, less than others of this session."""
    with suppress(OSError):
        os.nice(nice)
