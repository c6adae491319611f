"""Wait for the turn to start, before anything heavy is imported.

This process is then as good as nothing: a few MB, and a look at the line now and then. So it writes the record as the
plain JSON that it is, of which it is the only writer until the cluster's process is up.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path

from ...operating_system.plain_file import read_own_file
from ...registry.replacement import replace_text
from ...sharing.turns import Turn, in_line

STEP = "turn"
_LOOK_SECONDS = 0.1
_LONGEST_SECONDS = 1.0


def wait_for_turn(turn: Turn, folder: Path) -> None:
    """Return when the turn has come; until then the record says how many come first."""
    told: int | None = None
    while not turn.has_come(before := turn.before()):
        if before != told:
            told = before
            _tell(folder / "state.json", in_line(before))
        # The more there are before me, the longer it takes.
        time.sleep(min(_LONGEST_SECONDS, _LOOK_SECONDS * (before - turn.at_a_time + 1)))
    if told is not None:
        _tell(folder / "state.json", "Starting the cluster's process", step="launch")


def _tell(state: Path, message: str, step: str = STEP) -> None:
    # A disk that is full is told of by who comes next.
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        record = json.loads(read_own_file(state))
        record["cluster"]["progress"] = {"step": step, "message": message, "done": None, "total": None}
        replace_text(state, json.dumps(record), mode=0o600)


def turn_of(descriptor: int) -> Turn:
    """Return the turn that whoever started this process has taken for it."""
    import socket

    os.set_inheritable(descriptor, False)
    return Turn(socket.socket(fileno=descriptor))
