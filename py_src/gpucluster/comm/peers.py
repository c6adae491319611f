"""Who is at the other end of a unix socket."""

from __future__ import annotations

import socket
import struct

_LOCAL_PEERCRED = 1
"""macOS, ``sys/un.h``: of level 0."""


def peer_of(connection: socket.socket) -> tuple[int | None, int | None]:
    """Return process and user at the other end, each ``None`` where the system does not tell."""
    if hasattr(socket, "SO_PEERCRED"):
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        process, user, _ = struct.unpack("3i", credentials)
        return process or None, user
    try:
        # struct xucred: version, user, number of groups, groups
        _, user = struct.unpack("II", connection.getsockopt(0, _LOCAL_PEERCRED, 76)[:8])
    except (OSError, struct.error):
        return None, None
    return None, user
