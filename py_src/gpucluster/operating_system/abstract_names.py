"""Names that one process of a machine holds at a time and the kernel frees when it ends: abstract unix sockets.

Binding is atomic between users. There is no file that another user could create first, remove or replace, and the
kernel reports the owner of each name (``sock_diag``, Linux 5.3), so that no user can pretend to be another. Nothing can
be sent to a socket that ``hold`` makes: it does not listen. Each network namespace has its own names.
"""

from __future__ import annotations

import errno
import os
import socket
import struct
import time
from collections.abc import Iterator
from typing import NamedTuple

from . import LINUX

LONGEST = 107  # Bytes of a name.
_NETLINK_SOCK_DIAG = 4
_SOCK_DIAG_BY_FAMILY = 20
_REQUEST_DUMP = 0x301
_DONE, _ERROR = 3, 2
_CONNECTED, _LISTENS = 1, 10
_SHOW_NAME, _SHOW_UID = 0x1, 0x40
_NAME, _UID = 0, 7
_HEADER = struct.Struct("=IHHII")
_ASK = struct.Struct("=BBHIIIII")
_FOUND = struct.Struct("=BBBBIII")
_PIECE = struct.Struct("=HH")
_EVERY = 0xFFFFFFFF
_MOST_BYTES = 1 << 17
_PATIENCE_SECONDS = 5.0


class BoundName(NamedTuple):
    """A held name."""

    name: str
    user: int | None  # Owner of the socket according to the kernel; ``None``: Linux older than 5.3.
    socket: int  # Distinguishes it from another socket that gets the name later.
    listens: bool = False  # Whether it accepts connections.


def hold(name: str) -> socket.socket | None:
    """Return a socket that holds a name until it is closed or this process ends; ``None``: another process holds it."""
    held = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        held.bind(b"\0" + name.encode())
    except OSError as error:
        held.close()
        if error.errno == errno.EADDRINUSE:
            return None
        raise
    return held


def held_names(prefix: str) -> list[BoundName]:
    """Return the names with this prefix that any process of this network namespace holds, each of them once.

    Names that are not UTF-8 are left out: ``hold`` makes none, and two of them may decode to the same text.
    """
    if not LINUX:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    wanted = b"\0" + prefix.encode()
    found: dict[str, BoundName] = {}
    connected: set[str] = set()
    for kind, state, number, attributes in _sockets():
        name = attributes.get(_NAME, b"")
        # A socket of another type may have the same name. One without a number is a connection that is not accepted
        # yet: Linux before 6.17 reports it as root's.
        if kind != socket.SOCK_STREAM or not name.startswith(wanted) or number == 0:
            continue
        try:
            text = name[1:].decode()
        except UnicodeDecodeError:
            continue
        # Connections keep the name of the socket that accepted them, even when another socket holds it later.
        if text in found and (state == _CONNECTED or text not in connected):
            continue
        (connected.add if state == _CONNECTED else connected.discard)(text)
        user = attributes.get(_UID)
        whose = None if user is None else struct.unpack("=I", user)[0]
        found[text] = BoundName(text, whose, number, state == _LISTENS)
    return list(found.values())


def seconds_since_boot() -> float:
    """Return a clock that all processes of the machine share, that cannot be set and that continues during sleep."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if LINUX else time.monotonic()


def _sockets() -> Iterator[tuple[int, int, int, dict[int, bytes]]]:
    """Yield type, state, number and attributes of each unix socket."""
    ask = _ASK.pack(socket.AF_UNIX, 0, 0, _EVERY, 0, _SHOW_NAME | _SHOW_UID, _EVERY, _EVERY)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, _NETLINK_SOCK_DIAG) as link:
        link.settimeout(_PATIENCE_SECONDS)
        size = _HEADER.size + len(ask)
        link.sendto(_HEADER.pack(size, _SOCK_DIAG_BY_FAMILY, _REQUEST_DUMP, 1, 0) + ask, (0, 0))
        while True:
            data, sender = link.recvfrom(_MOST_BYTES)
            if sender[0] != 0:  # Not the kernel.
                continue
            place = 0
            while place < len(data):
                length, kind, *_ = _HEADER.unpack_from(data, place)
                if kind == _DONE:
                    return
                if kind == _ERROR:
                    (number,) = struct.unpack_from("=i", data, place + _HEADER.size)
                    raise OSError(-number, os.strerror(-number))
                yield _one(data, place + _HEADER.size, place + length)
                place += _aligned(length)


def _one(data: bytes, start: int, end: int) -> tuple[int, int, int, dict[int, bytes]]:
    _, kind, state, _, number, _, _ = _FOUND.unpack_from(data, start)
    attributes: dict[int, bytes] = {}
    place = start + _FOUND.size
    while place + _PIECE.size <= end:
        length, name = _PIECE.unpack_from(data, place)
        attributes[name] = data[place + _PIECE.size : place + length]
        place += _aligned(max(length, _PIECE.size))
    return kind, state, number, attributes


def _aligned(length: int) -> int:
    return (length + 3) & ~3
