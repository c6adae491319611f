"""Files of JSON lines in a cluster's folder, which are kept after its end.

``activity`` contains what has happened to the cluster. The process that requests the cluster writes the first line, its
supervisor the rest. If the supervisor dies, the process that finds it gone writes the last one.

``cells`` contains what cells computed. The supervisor adds a line when something has changed, at most once a second for
each cell; the last line of a cell is valid.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from ..operating_system.files import read_own_file
from ..protocol.cells import CellWork
from ..protocol.plain_text import escaped
from ..protocol.telemetry import ActivityEntry
from .directory import write_private

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


KEPT_ENTRIES = 1000
_TRIM_ABOVE = KEPT_ENTRIES + 250
_LOOK_ABOVE_BYTES = 128 * 1024  # A smaller file holds so few entries that they need not be counted.
_MESSAGE_CHARACTERS = 500
_BY_CHARACTERS = 80


def requester(text: str | None) -> str | None:
    """Return the claimed requester in a form that is safe to show: one short line of ordinary characters."""
    shown = "".join(letter if letter.isascii() and letter.isprintable() else "?" for letter in text or "").strip()
    return shown[:_BY_CHARACTERS] or None


def append_activity(path: Path, entry: ActivityEntry) -> None:
    """Write an entry at the end of the file, which only its owner can read."""
    message = escaped(entry.message)
    if len(message) > _MESSAGE_CHARACTERS:
        message = message[: _MESSAGE_CHARACTERS - 1] + "…"
    line = entry.model_copy(update={"message": message}).model_dump_json().encode()
    if append_line(path, line) > _LOOK_ABOVE_BYTES:
        lines = read_own_file(path).splitlines(keepends=True)
        if len(lines) > _TRIM_ABOVE:
            write_private(path, b"".join(lines[-KEPT_ENTRIES:]).decode("utf-8", errors="replace"))


def read_activity(path: Path) -> list[ActivityEntry]:
    """Return the last entries, oldest first; none if no file can be read."""
    return [*read_entries(path, ActivityEntry)][-KEPT_ENTRIES:]


KEPT_CELLS = 1000
KEPT_CELL_BYTES = 4 * 2**20
_REWRITE_ABOVE_BYTES = 8 * 2**20


def append_cells(path: Path, cells: Iterable[CellWork]) -> None:
    """Write how cells are now at the end of the file. Raises `OSError`."""
    lines = b"\n".join(cell.model_dump_json(exclude_defaults=True).encode() for cell in cells)
    if lines and append_line(path, lines) > _REWRITE_ABOVE_BYTES:
        write_private(path, "".join(f"{line.decode()}\n" for line in reversed(_last_lines(path))))


def _last_lines(path: Path) -> list[bytes]:
    """Return the last line of each cell, newest first, up to a size. Not as models: a scheduler waits for it."""
    kept: dict[str, bytes] = {}
    size = 0
    for line in reversed(read_own_file(path).splitlines()):
        with suppress(ValueError, TypeError, KeyError):  # It was cut off.
            if (id := from_json(line)["id"]) not in kept:
                size += len(line) + 1
                if size > KEPT_CELL_BYTES:
                    break
                kept[id] = line
    return list(kept.values())


def read_cells(path: Path) -> list[CellWork]:
    """Return the last cells, oldest first; none when there is no file that can be read."""
    latest = {cell.id: cell for cell in read_entries(path, CellWork)}
    return sorted(latest.values(), key=lambda cell: cell.began)[-KEPT_CELLS:]
