"""Files of JSON lines in a cluster's folder, which grow at their end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def append_line(path: Path, line: bytes) -> int:
    """Write a line at the end of a file, which only its owner can read; returns the file's size.

    Raises `OSError`: also where something else is in the file's place.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "is not a plain file", str(path))
        rest = line + b"\n"
        if found.st_size and os.pread(descriptor, 1, found.st_size - 1) != b"\n":
            rest = b"\n" + rest  # A full disk has cut the line before.
        while rest:
            rest = rest[os.write(descriptor, rest) :]  # The rest of what fits in part fails, and says why.
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)
