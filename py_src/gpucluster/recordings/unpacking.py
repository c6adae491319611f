"""Read the bytes of an untrusted recording in pieces, up to the maximum size."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ..protocol.errors import RecordingNotFound, RecordingUnreadable
from ..protocol.plain_text import printable

MOST_PACKED_BYTES = 8 * 2**20  # Of a gzip file.
MOST_BYTES = 48 * 2**20  # Uncompressed.
MOST_MEMBERS = 1000  # Of a gzip file; some programs write one for each 64 KiB.
MOST_HEADER_BYTES = 2**18  # Up to the end of the first line.
MOST_HEADER_KEYS = 100
MOST_LINE_BYTES = 2**20
MOST_SAMPLES = 20_000  # Five and a half hours at one sample a second.
MOST_DAMAGED = 1000  # Unplayable lines; a file with more is not a recording.
MOST_LINES = 2 * MOST_SAMPLES  # Including empty ones.
MOST_SECONDS = 20.0  # CPU time for reading one recording.


_PACKED = b"\x1f\x8b"
_GZIP = 31  # zlib's number of the gzip format.
_READ = 2**13
_PIECE = 2**16  # Maximum output at a time: a few bytes may expand to very many.
_MIB = 2**20


class CutOff(Exception):
    """The file is truncated, or its compression is damaged."""


def named(path: Path) -> str:
    """Return the name of a file for a message."""
    return printable(path.name, 120)


def pieces_of(path: Path) -> Iterator[bytes]:
    """Yield the uncompressed content of a file.

    Raises `RecordingNotFound` (it cannot be read), `RecordingUnreadable` (it is too large), and `CutOff` after the last
    piece of a truncated file.
    """
    try:
        # Checked after opening, as the name may be replaced; not blocking, as opening a pipe would wait.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        with os.fdopen(descriptor, "rb") as raw:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise RecordingNotFound(f"There is no recording {named(path)}.")
            is_packed = raw.read(len(_PACKED)) == _PACKED
            raw.seek(0)
            most = MOST_PACKED_BYTES if is_packed else MOST_BYTES
            _check(path, status.st_size, most)
            total = 0
            for piece in _unpacked(path, raw) if is_packed else _read(path, raw, most):
                total += len(piece)
                if total > MOST_BYTES:
                    raise RecordingUnreadable(
                        f"{named(path)} unpacks to more than {MOST_BYTES // _MIB} MiB; recordings are smaller."
                    )
                yield piece
    except IsADirectoryError:
        raise RecordingNotFound(f"There is no recording {named(path)}.") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its name is not a valid file name"
        raise RecordingNotFound(f"The recording cannot be read: {why}.") from None


def _up_to_the_damage(member: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    for position in range(len(data)):
        try:
            yield member.decompress(data[position : position + 1])
        except zlib.error:
            return


def _check(path: Path, size: int, most: int) -> None:
    if size > most:
        raise RecordingUnreadable(
            f"{named(path)} has {size / _MIB:.0f} MiB; recordings of up to {most // _MIB} MiB can be played."
        )


def _read(path: Path, raw: IO[bytes], most: int) -> Iterator[bytes]:
    """Yield the bytes of the file, which may grow while it is read."""
    total = 0
    while piece := raw.read(_READ):
        total += len(piece)
        _check(path, total, most)
        yield piece


def _unpacked(path: Path, raw: IO[bytes]) -> Iterator[bytes]:
    packed = _read(path, raw, MOST_PACKED_BYTES)
    waiting = next(packed, b"")
    members = 0
    while waiting:
        members += 1
        if members > MOST_MEMBERS:
            raise RecordingUnreadable(
                f"{named(path)} is packed in more than {MOST_MEMBERS} parts; unpack it, or pack it as one."
            )
        member = zlib.decompressobj(_GZIP)
        while not member.eof:
            data = waiting or next(packed, b"")
            before = member.copy()
            try:
                piece = member.decompress(data, _PIECE)
            except zlib.error:
                yield from _up_to_the_damage(before, data)
                raise CutOff from None
            waiting = member.unconsumed_tail
            if piece:
                yield piece
            elif not data and not member.eof:
                raise CutOff
        # Files may be padded with zeros.
        waiting = member.unused_data.lstrip(b"\0")
        while not waiting and (data := next(packed, b"")):
            waiting = data.lstrip(b"\0")
