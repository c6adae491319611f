"""Folders and sockets that are reached by a descriptor, and how many descriptors a process may have."""

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
_LONGEST_ADDRESS_BYTES = 100  # The system takes 107 (macOS 103) as the address of a socket.
_USUAL_LIMITS = (10_240, 4_096, 1_024)  # macOS says that there is no limit, and takes nothing above the first.

PLACE = (os.O_PATH if LINUX else os.O_RDONLY) | os.O_CLOEXEC
"""How a folder is opened from which others are; on Linux also one that this account may enter, but not list."""


@contextmanager
def short_address(path: str) -> Iterator[str]:
    """Give an address by which a socket can be bound or reached, however long its path is."""
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
    """Take a socket's name away and return an address by which this process alone still reaches it. Linux only.

    No process that may not trace this one can use it.
    """
    descriptor = os.open(path, PLACE | os.O_NOFOLLOW)
    os.unlink(path)
    return f"{_DESCRIPTORS}{descriptor}"


def allow_many_files() -> None:
    """Allow this process as many open files as the system lets it have."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    for wanted in (most, *_USUAL_LIMITS):
        if now != resource.RLIM_INFINITY and (wanted > now or wanted == resource.RLIM_INFINITY):
            with suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
                return


def everybody_may_fill(folder: str) -> bool:
    """Whether any user of the machine could put a file into this folder, or another folder in its place."""
    place = Path(os.path.realpath(folder))
    if place.stat().st_mode & stat.S_IWOTH:
        return True
    above = (parent.stat().st_mode for parent in place.parents)
    # With the sticky bit, as /tmp has it, nobody moves what belongs to somebody else.
    return any(mode & stat.S_IWOTH and not mode & stat.S_ISVTX for mode in above)


_HERE = -100
_RENAME_EXCHANGE = 2


def exchange_names(one: Path, other: Path) -> bool:
    """Let each of two files have the name of the other, with nothing in between; return whether that was done."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if LINUX else None
    return rename is not None and rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _RENAME_EXCHANGE) == 0
