"""Stream sockets with a name instead of a path, open to all in the network namespace; the kernel identifies the peer.

No file permissions protect them. The listening side asks the kernel for the peer's user and groups before it reads
anything, and the connecting side asks for the owner of the socket before it sends anything.
"""

from __future__ import annotations

import errno
import os
import pwd
import socket
import struct
from contextlib import suppress

from . import LINUX
from .abstract_names import hold

_SO_PEERGROUPS = 59  # ``asm-generic/socket.h``, Linux 4.13; Python has no name for it.
_MOST_BYTES = 1024  # Python's limit: 256 groups.
_GROUP = struct.Struct("=I")
_TIME = struct.Struct("@ll")


def listen(name: str, waiting: int) -> socket.socket:
    """Return a socket that listens under a name until it is shut down or this process ends.

    `waiting`: number of connections that wait to be accepted; further ones wait in ``connect``. Raises `OSError`:
    another process has the name, or this system has no such sockets.
    """
    if not LINUX:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    listener = hold(name)
    if listener is None:
        raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
    listener.listen(waiting)
    return listener


def close(listener: socket.socket) -> None:
    """Stop listening; a thread that waits in ``accept`` gets an ``OSError``."""
    with suppress(OSError):
        listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def connect(name: str, seconds: float) -> socket.socket:
    """Return a connection to the process that listens under a name.

    `seconds`: timeout for connecting and for the connection. Raises `OSError`: no process listens, or it does not
    accept in time.
    """
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        # With Python's timeout it would not wait for its turn: the kernel lets only blocking sockets wait.
        whole = int(seconds)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _TIME.pack(whole, int((seconds - whole) * 1e6)))
        connection.connect(b"\0" + name.encode())
        connection.settimeout(seconds)
    except OSError:
        connection.close()
        raise
    return connection


def groups_of(connection: socket.socket) -> frozenset[int]:
    """Return the groups that the process at the other end had when it connected, as far as the system reports them."""
    groups: set[int] = set()
    with suppress(OSError, struct.error):
        _, user, group = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        groups.add(group)
        try:
            data = connection.getsockopt(socket.SOL_SOCKET, _SO_PEERGROUPS, _MOST_BYTES)
        except OSError as error:
            if error.errno != errno.ERANGE:
                raise
            with suppress(KeyError):  # Too many: those of the account.
                groups.update(os.getgrouplist(pwd.getpwuid(user).pw_name, group))
        else:
            groups.update(number for (number,) in _GROUP.iter_unpack(data))
    return frozenset(groups)
