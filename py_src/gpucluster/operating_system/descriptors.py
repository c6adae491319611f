"""Folders and sockets that are reached by a descriptor, and the limit of open descriptors."""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from . import LINUX

_DESCRIPTORS = "/proc/self/fd/"
_LONGEST_ADDRESS_BYTES = 100  # The limit for the address of a socket is 107 (macOS 103).
_USUAL_LIMITS = (10_240, 4_096, 1_024)  # macOS reports no limit, and accepts nothing above the first.

PLACE = (os.O_PATH if LINUX else os.O_RDONLY) | os.O_CLOEXEC
"""Flags for a folder from which others are opened; on Linux it need not be listable."""


@contextmanager
def short_address(path: str) -> Iterator[str]:
    """Yield an address at which a socket can be bound or reached, however long its path is."""
    if len(os.fsencode(path)) <= _LONGEST_ADDRESS_BYTES:
        yield path
        return
    if not LINUX:
        raise OSError(errno.ENAMETOOLONG, "too long for the address of a socket", path)
    folder, name = os.path.split(path)
    descriptor = os.open(folder, PLACE | os.O_DIRECTORY)
    try:
        yield f"{_DESCRIPTORS}{descriptor}/{name}"
    finally:
        os.close(descriptor)


def address_of_folder(descriptor: int) -> str:
    """Return a short path of a folder that this process holds open. Linux only."""
    return f"{_DESCRIPTORS}{descriptor}"


def without_name(path: str) -> str:
    """Remove a socket's name and return an address at which this process still reaches it. Linux only.

    No process that may not trace this one can use it.
    """
    descriptor = os.open(path, PLACE | os.O_NOFOLLOW)
    os.unlink(path)
    return f"{_DESCRIPTORS}{descriptor}"


def allow_many_files() -> None:
    """Raise this process's limit of open files as far as the system allows."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    for wanted in (most, *_USUAL_LIMITS):
        if now != resource.RLIM_INFINITY and (wanted > now or wanted == resource.RLIM_INFINITY):
            with suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
                return


def everybody_may_fill(folder: str) -> bool:
    """Whether any user of the machine could put a file into this folder, or replace the folder."""
    place = Path(os.path.realpath(folder))
    if place.stat().st_mode & stat.S_IWOTH:
        return True
    above = (parent.stat().st_mode for parent in place.parents)
    # With the sticky bit, as on /tmp, users cannot move what belongs to others.
    return any(mode & stat.S_IWOTH and not mode & stat.S_ISVTX for mode in above)


_HERE = -100
_RENAME_EXCHANGE = 2


def exchange_names(one: Path, other: Path) -> bool:
    """Exchange the names of two files atomically; return whether that was done."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if LINUX else None
    return rename is not None and rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _RENAME_EXCHANGE) == 0
