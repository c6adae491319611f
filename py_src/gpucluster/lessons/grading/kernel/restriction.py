"""What a kernel gives up before any code of a learner runs in it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from ..sandbox.protection import protect_kernel


def restrict() -> None:
    """Give up what the keeper has written to standard input.

    Raises
    ------
    RuntimeError
        When it cannot be given up; then nothing else must run here.
    """
    about = json.loads(sys.stdin.buffer.read())
    unreadable = [Path(os.fsdecode(bytes.fromhex(path))) for path in about["unreadable"]]
    protect_kernel(Path(os.environ["HOME"]).parent, unreadable, apart=about["apart"])
