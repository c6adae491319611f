"""Libraries for one kind of GPU: the machine code for all others is cleared, so that it takes no room on the way.

RAPIDS' libraries carry the same kernels compiled for six kinds of GPU and more. What is cleared is zeros afterwards and
nearly nothing in a wheel; the driver takes the code of its own card and never looks at the rest. A card of another kind
finds none: such a library is for one machine.

The form of ``.nv_fatbin`` is not documented by NVIDIA. What is relied on: pieces that begin with a magic number and
their length, in each of them entries of kind, length and architecture. What does not look so is left as it is.
"""

from __future__ import annotations

import base64
import hashlib
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_ELF = b"\x7fELF"
_MAGIC = b"\x50\xed\x55\xba"
_SECTION = ".nv_fatbin"
_MACHINE_CODE = 2
_COMPRESSED_LEVEL = 6


class Code(NamedTuple):
    """Code for one kind of GPU.

    Attributes
    ----------
    piece : int
        Number of the piece: its entries are the same kernels for different GPUs.
    ready : bool
        Machine code; else PTX, which drivers compile.
    architecture : int
        90 for Hopper, say.
    start, size : int
        Where it is in the file, in bytes.
    """

    piece: int
    ready: bool
    architecture: int
    start: int
    size: int


def codes(library: bytes | bytearray) -> Iterator[Code]:
    """Give all code for GPUs in a shared library; nothing for a file that is none, or has none."""
    number = 0
    for start, size in _sections(library):
        place, end = start, start + size
        while place + 16 <= end:
            if library[place : place + 4] != _MAGIC:
                place += 8
                continue
            _, header, length = struct.unpack_from("<HHQ", library, place + 4)
            entry, last = place + header, place + header + length
            while entry + 32 <= last:
                kind, _, head, content = struct.unpack_from("<HHIQ", library, entry)
                (architecture,) = struct.unpack_from("<I", library, entry + 28)
                if not head:
                    break
                yield Code(number, kind == _MACHINE_CODE, architecture, entry + head, content)
                entry += head + content
            number += 1
            place = last


def keep_architecture(library: bytearray, architecture: int) -> int:
    """Clear the code for all other GPUs; pieces that have none for this one stay whole. Returns the cleared bytes."""
    pieces: dict[int, list[Code]] = {}
    for code in codes(library):
        pieces.setdefault(code.piece, []).append(code)
    cleared = 0
    for found in pieces.values():
        kept = [code for code in found if code.ready and code.architecture == architecture]
        for code in found if kept else ():
            if code not in kept:
                library[code.start : code.start + code.size] = bytes(code.size)
                cleared += code.size
    return cleared


def cut_wheel(wheel: Path, target: Path, architecture: int) -> int:
    """Write a wheel with code for one kind of GPU; returns how many bytes of its libraries were cleared.

    Parameters
    ----------
    wheel, target : Path
        Files; ``target`` is written.
    architecture : int
    """
    cleared, sums = 0, {}
    with (
        zipfile.ZipFile(wheel) as source,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSED_LEVEL) as written,
    ):
        last = [info for info in source.infolist() if info.filename.endswith(".dist-info/RECORD")]
        for info in [info for info in source.infolist() if info not in last]:
            content = bytearray(source.read(info))
            if n_bytes := keep_architecture(content, architecture) if content[:4] == _ELF else 0:
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
                sums[info.filename] = f"{info.filename},sha256={digest},{len(content)}"
                cleared += n_bytes
            written.writestr(_like(info), bytes(content))
        for info in last:
            lines = source.read(info).decode().splitlines()
            told = "".join(f"{sums.get(line.split(',')[0], line)}\n" for line in lines)
            written.writestr(_like(info), told)
    return cleared


def _like(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(info.filename, info.date_time)
    made.external_attr, made.compress_type = info.external_attr, zipfile.ZIP_DEFLATED
    return made


def _sections(library: bytes | bytearray) -> Iterator[tuple[int, int]]:
    """Give offset and size of the sections with code for GPUs in a library of 64 bits."""
    if library[:5] != _ELF + b"\x02":
        return
    (table,) = struct.unpack_from("<Q", library, 0x28)
    entry, count, names = struct.unpack_from("<HHH", library, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", library, table + number * entry) for number in range(count)]
    if not headers:
        return
    start_of_names = headers[names][4]
    for name, _, _, _, offset, size in headers:
        begin = start_of_names + name
        if library[begin : library.index(b"\0", begin)] == _SECTION.encode():
            yield offset, size
