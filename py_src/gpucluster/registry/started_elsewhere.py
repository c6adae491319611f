"""What a supervisor has started elsewhere, written down so that its death leaves nothing behind.

A cluster's own processes end with its supervisor. Jobs of a batch system and the like do not: they are in
``remembered.json`` before they are started. A process that finds the supervisor gone starts
``gpucluster.supervisor.reaper``, which lets the backend end them and deletes the file.
"""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, BinaryIO

from pydantic import BaseModel, JsonValue, ValidationError

from ..operating_system.files import read_own_file
from .directory import writing
from .record import Folder
from .replacement import replace_text

AGAIN_SECONDS = 60.0  # Minimum time between attempts of one process, unless its environment has changed.
SOONEST_SECONDS = 2.0  # Minimum time between any two attempts.
_KEPT_ATTEMPTS = 20
_salt = os.urandom(16)


class Remembered(BaseModel, frozen=True, extra="forbid"):
    """Content of ``remembered.json``."""

    backend: str  # Name of the backend that can end it.
    state: dict[str, JsonValue]  # Written by the backend.


def remember(folder: Folder, backend: str, state: Mapping[str, Any]) -> None:
    """Write down what is to be ended elsewhere; nothing when the mapping is empty.

    Raises `RegistryUnwritable`: the previous content is still there; the next step must not be made.
    """
    with writing(folder.path.parent):
        if state:
            text = Remembered(backend=backend, state=dict(state)).model_dump_json()
            replace_text(folder.remembered, text, mode=0o600, durable=True)
        else:
            folder.remembered.unlink(missing_ok=True)


def read_remembered(folder: Folder) -> Remembered | None:
    """Return what was written down; ``None`` when nothing is left or it cannot be read."""
    try:
        return Remembered.model_validate_json(read_own_file(folder.remembered))
    except (OSError, ValidationError):
        return None


def _may_try(folder: Folder) -> bool:
    """Whether this process may make an attempt now, which is then noted."""
    now, asker = time.time(), _asker()
    attempts: list[tuple[float, str]] = []
    with suppress(OSError, ValueError):
        words = [line.split() for line in read_own_file(folder.reaping).decode("ascii").splitlines()]
        attempts = [(float(at), who) for at, who in words]
    for at, who in attempts:
        if 0 <= now - at < (AGAIN_SECONDS if who == asker else SOONEST_SECONDS):
            return False
    kept = [*attempts, (now, asker)][-_KEPT_ATTEMPTS:]
    try:
        # Overwritten, not replaced: a running attempt holds this very file.
        if os.path.lexists(folder.reaping) and not stat.S_ISREG(os.lstat(folder.reaping).st_mode):
            folder.reaping.unlink()
        mode = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(folder.reaping, mode, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.writelines(f"{at} {who}\n" for at, who in kept)
    except OSError:
        return False
    return True


def _asker() -> str:
    """Return a keyed hash that identifies this process and its environment, and reveals nothing of either."""
    variables = "\0".join(f"{name}={value}" for name, value in sorted(os.environ.items()))
    return hashlib.blake2b(variables.encode(errors="surrogateescape"), key=_salt, digest_size=12).hexdigest()


def _open_log(folder: Folder) -> BinaryIO:
    mode = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        return open(os.open(folder.log, mode, 0o600), "ab")
    except OSError:  # Even if the log cannot be written, nothing is left running.
        return open(os.devnull, "ab")


def start_reaper(folder: Folder, python: str) -> None:
    """Start a process that ends what a dead supervisor has left; at most once a minute for each caller.

    Callers are distinguished because one may lack a password that another has in its environment.
    """
    if not _may_try(folder):
        return
    with suppress(OSError):
        with _open_log(folder) as log:
            command = [python if os.access(python, os.X_OK) else sys.executable, "-P", "-m"]
            process = subprocess.Popen(
                [*command, "gpucluster.supervisor.reaper", "--folder", str(folder.path)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        threading.Thread(target=process.wait, name="gpucluster-reaper", daemon=True).start()
