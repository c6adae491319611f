"""Files of JSON lines in a cluster's folder, which grow at their end."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from ..operating_system.plain_file import read_own_file

Entry = TypeVar("Entry", bound=BaseModel)


def read_entries(path: Path, model: type[Entry]) -> Iterator[Entry]:
    """Yield the entries, oldest first, without lines that were cut off; none if no file can be read."""
    with suppress(OSError):
        for line in read_own_file(path).splitlines():
            with suppress(ValidationError):  # The disk was full, or the process was killed.
                yield model.model_validate_json(line.decode("utf-8", "replace"))


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
