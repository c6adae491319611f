"""Advisory locks that the kernel frees when their holder dies, however it dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def take(path: Path, *, wait: bool = False) -> int | None:
    """Take an exclusive lock.

    Returns
    -------
    int or None
        A file descriptor that holds the lock until it and all its copies in child processes are closed;
        ``None`` when somebody else holds it and ``wait`` is false.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def is_held(path: Path) -> bool:
    """Whether a living process holds the lock."""
    try:
        # For reading: whether a cluster lives can be seen on a read-only disk, too.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        # Shared, so that two readers who look at the same moment do not see each other as the holder.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the lock for the length of a ``with`` block, waiting for it first."""
    descriptor = take(path, wait=True)
    assert descriptor is not None
    try:
        yield
    finally:
        os.close(descriptor)
