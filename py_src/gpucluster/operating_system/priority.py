"""How much of busy processors this process gets, beside others."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

_AUTOGROUP = Path("/proc/self/autogroup")
_TRIES = 3
_PAUSE_SECONDS = 0.15
"""Of all users, one may set it each tenth of a second."""


def yield_to_sessions(nice: int) -> None:
    """Let the processes of this session together get less than those of other sessions; waits a moment at most.

    Linux shares processors between sessions first (autogroup, sched(7)), where there are no control groups that do so;
    the niceness of a process only counts within its own. Without such groups, nothing happens.

    Parameters
    ----------
    nice : int
        From 1 to 19; 5 is a third of what others get.
    """
    for _ in range(_TRIES):
        try:
            _AUTOGROUP.write_text(f"{nice}\n")
        except BlockingIOError:
            time.sleep(_PAUSE_SECONDS)
        except OSError:
            return
        else:
            return


def yield_to_processes(nice: int) -> None:
    """Let this process, and those it starts from now on, get less than others of this session."""
    with suppress(OSError):
        os.nice(nice)
