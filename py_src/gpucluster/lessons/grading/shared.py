"""Shared memory that submissions leave: the one place outside of their folder that they must be able to write to."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

FOLDER = Path("/dev/shm")  # noqa: S108


def owned(folder: Path = FOLDER) -> set[str]:
    """Return the names of what belongs to this account."""
    found = set()
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.stat(follow_symlinks=False).st_uid == os.getuid():
                    found.add(entry.name)
    return found


def remove_new(before: set[str], folder: Path = FOLDER) -> list[str]:
    """Remove what was not there before and is used by no process, and return the names; folders and links stay.

    What another program of this account has made meanwhile is in use as long as that program runs.
    """
    new = {name for name in owned(folder) - before if (folder / name).is_file() and not (folder / name).is_symlink()}
    removed = []
    for name in sorted(new - _used(folder)) if new else ():
        with suppress(OSError):
            (folder / name).unlink()
            removed.append(name)
    return removed


def _used(folder: Path) -> set[str]:
    """Names of what processes of this account have open or mapped."""
    found = set()
    start = f"{folder}/"
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            for opened in (process / "fd").iterdir():
                with suppress(OSError):
                    found.add(os.readlink(opened))
        with suppress(OSError):
            found |= {line.partition("/")[2] and "/" + line.partition("/")[2] for line in _lines(process / "maps")}
    return {path.removeprefix(start) for path in found if path.startswith(start)}


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
