"""What cells computed: a file of JSON lines in the cluster's folder, kept after its end.

The supervisor adds a line whenever something has changed, at most once a second for each cell; the last line of a cell
is valid.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from pydantic_core import from_json

from ..operating_system.plain_file import read_own_file
from ..protocol.cells import CellWork
from .directory import write_private
from .line_file import append_line, read_entries

KEPT = 1000  # Cells that stay.
KEPT_BYTES = 4 * 2**20
_REWRITE_ABOVE_BYTES = 8 * 2**20


def append(path: Path, cells: Iterable[CellWork]) -> None:
    """Write how cells are now at the end of the file. Raises `OSError`."""
    lines = b"\n".join(cell.model_dump_json(exclude_defaults=True).encode() for cell in cells)
    if lines and append_line(path, lines) > _REWRITE_ABOVE_BYTES:
        write_private(path, "".join(f"{line.decode()}\n" for line in reversed(_last_lines(path))))


def _last_lines(path: Path) -> list[bytes]:
    """Return the last line of each cell, newest first, up to `KEPT_BYTES`. Not as models: a scheduler waits for it."""
    kept: dict[str, bytes] = {}
    size = 0
    for line in reversed(read_own_file(path).splitlines()):
        with suppress(ValueError, TypeError, KeyError):  # It was cut off.
            if (id := from_json(line)["id"]) not in kept:
                size += len(line) + 1
                if size > KEPT_BYTES:
                    break
                kept[id] = line
    return list(kept.values())


def read(path: Path) -> list[CellWork]:
    """Return the last cells, oldest first; none when there is no file that can be read."""
    latest = {cell.id: cell for cell in read_entries(path, CellWork)}
    return sorted(latest.values(), key=lambda cell: cell.began)[-KEPT:]
