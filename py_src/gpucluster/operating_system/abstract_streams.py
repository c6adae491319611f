"""Stream sockets whose name is no path: whoever is in the same network namespace reaches them, and the kernel says who.

There is no file whose permissions keep anybody out. Whoever listens asks the kernel for the peer's user and groups
before it reads anything, and whoever connects asks whose socket it is before it says anything.
"""

from __future__ import annotations

import errno
import os
import pwd
import socket
import struct
from contextlib import suppress

from . import LINUX

_SO_PEERGROUPS = 59  # ``asm-generic/socket.h``, Linux 4.13; Python has no name for it.
_MOST_BYTES = 1024  # Python asks for no more: 256 groups.
_GROUP = struct.Struct("=I")
_TIME = struct.Struct("@ll")


def listen(name: str, waiting: int) -> socket.socket:
    """Return a socket that listens under a name until it is shut down or this process ends.

    `waiting`: so many connections wait until they are accepted; more of them wait in ``connect``. Raises `OSError`:
    somebody else has the name, or this system has no such sockets.
    """
    if not LINUX:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        listener.bind(b"\0" + name.encode())
        listener.listen(waiting)
    except OSError:
        listener.close()
        raise
    return listener


def close(listener: socket.socket) -> None:
    """Stop listening; a thread that waits in ``accept`` gets an ``OSError``."""
    with suppress(OSError):
        listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def connect(name: str, seconds: float) -> socket.socket:
    """Return a connection to whoever listens under a name.

    `seconds`: so long it waits where others wait, too; the connection has that as its timeout. Raises `OSError`: nobody
    listens, or does not get to it in time.
    """
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        # With a timeout of Python's it would not wait for its turn: the kernel lets wait only who blocks.
        whole = int(seconds)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _TIME.pack(whole, int((seconds - whole) * 1e6)))
        connection.connect(b"\0" + name.encode())
        connection.settimeout(seconds)
    except OSError:
        connection.close()
        raise
    return connection


def groups_of(connection: socket.socket) -> frozenset[int]:
    """Return the groups that the process at the other end had when it connected, as far as the system tells."""
    groups: set[int] = set()
    with suppress(OSError, struct.error):
        _, user, group = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        groups.add(group)
        try:
            told = connection.getsockopt(socket.SOL_SOCKET, _SO_PEERGROUPS, _MOST_BYTES)
        except OSError as error:
            if error.errno != errno.ERANGE:
                raise
            with suppress(KeyError):  # More groups than that: those of the account.
                groups.update(os.getgrouplist(pwd.getpwuid(user).pw_name, group))
        else:
            groups.update(number for (number,) in _GROUP.iter_unpack(told))
    return frozenset(groups)
