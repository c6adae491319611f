"""The process and user at the other end of a unix socket."""

from __future__ import annotations

import socket
import struct
from contextlib import suppress

from . import LINUX

_SOL_LOCAL = 0
_LOCAL_PEERCRED, _LOCAL_PEERPID = 1, 2  # macOS, ``sys/un.h``; FreeBSD has the first.
XUCRED_BYTES = 76


def peer_of(connection: socket.socket) -> tuple[int | None, int | None]:
    """Return process and user at the other end, each ``None`` where the system does not report it."""
    if LINUX:
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        process, user, _ = struct.unpack("3i", credentials)
        return process or None, user
    process = user = None
    with suppress(OSError, struct.error):
        user = user_in(connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, XUCRED_BYTES))
        (process,) = struct.unpack("i", connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERPID, struct.calcsize("i")))
    return process or None, user


def user_in(xucred: bytes) -> int | None:
    """Return the user of a ``struct xucred``: version (0), user, number of groups, groups."""
    version, user = struct.unpack_from("=II", xucred)
    return int(user) if version == 0 else None
