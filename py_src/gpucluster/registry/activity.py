"""What has happened to a cluster: a file of JSON lines in its folder, kept after its end.

The process that requests the cluster writes the first line, its supervisor the rest. If the supervisor dies, the
process that finds it gone writes the last one.
"""

from __future__ import annotations

from pathlib import Path

from ..operating_system.plain_file import read_own_file
from ..protocol.plain_text import escaped
from ..protocol.telemetry import ActivityEntry
from .directory import write_private
from .line_file import append_line, read_entries

KEPT = 1000  # Entries.
_TRIM_ABOVE = KEPT + 250
_LOOK_ABOVE_BYTES = 128 * 1024  # A smaller file holds so few entries that they need not be counted.
_MESSAGE_CHARACTERS = 500
_BY_CHARACTERS = 80


def who(text: str | None) -> str | None:
    """Return the claimed requester in a form that is safe to show: one short line of ordinary characters."""
    shown = "".join(letter if letter.isascii() and letter.isprintable() else "?" for letter in text or "").strip()
    return shown[:_BY_CHARACTERS] or None


def append(path: Path, entry: ActivityEntry) -> None:
    """Write an entry at the end of the file, which only its owner can read."""
    message = escaped(entry.message)
    if len(message) > _MESSAGE_CHARACTERS:
        message = message[: _MESSAGE_CHARACTERS - 1] + "…"
    line = entry.model_copy(update={"message": message}).model_dump_json().encode()
    if append_line(path, line) > _LOOK_ABOVE_BYTES:
        lines = read_own_file(path).splitlines(keepends=True)
        if len(lines) > _TRIM_ABOVE:
            write_private(path, b"".join(lines[-KEPT:]).decode("utf-8", errors="replace"))


def read(path: Path) -> list[ActivityEntry]:
    """Return the last entries, oldest first; none if no file can be read."""
    return [*read_entries(path, ActivityEntry)][-KEPT:]
