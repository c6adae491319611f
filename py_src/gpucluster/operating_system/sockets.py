"""Abstract unix sockets, and the process and user at the other end of any unix socket.

``hold`` binds a name that one process of a machine has at a time and the kernel frees when it ends. Binding is atomic
between users. There is no file that another user could create first, remove or replace, and the kernel reports the
owner of each name (``sock_diag``, Linux 5.3), so that no user can pretend to be another. Each network namespace has its
own names.

``listen`` and ``connect`` are stream sockets with such a name, open to all in the network namespace. No file
permissions protect them. The listening side asks the kernel for the peer's user and groups before it reads anything,
and the connecting side asks for the owner of the socket before it sends anything.
"""

import errno
import os
import pwd
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import suppress
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


_SO_PEERGROUPS = 59  # ``asm-generic/socket.h``, Linux 4.13; Python has no name for it.
_MOST_GROUP_BYTES = 1024  # Python's limit: 256 groups.
_GROUP = struct.Struct("=I")
_TIME = struct.Struct("@ll")


def listen(name: str, waiting: int) -> socket.socket:
    """Return a socket that listens under a name. Raises `OSError`: it is taken, or there are no such sockets here."""
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
    """Return a connection to the process that listens under a name. Raises `OSError`: none does, or not in time."""
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
            data = connection.getsockopt(socket.SOL_SOCKET, _SO_PEERGROUPS, _MOST_GROUP_BYTES)
        except OSError as error:
            if error.errno != errno.ERANGE:
                raise
            with suppress(KeyError):  # Too many: those of the account.
                groups.update(os.getgrouplist(pwd.getpwuid(user).pw_name, group))
        else:
            groups.update(number for (number,) in _GROUP.iter_unpack(data))
    return frozenset(groups)


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


def place_on_network() -> str:
    """Return a name that two processes share if they reach each other's abstract unix sockets."""
    found = [socket.gethostname()]
    if LINUX:
        with suppress(OSError):
            with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
                found.append(file.read().strip())
            found.append(str(os.stat("/proc/self/ns/net").st_ino))
    return " ".join(found)


def nameless_datagrams() -> socket.socket | None:
    """Return a datagram socket with an abstract name that the kernel chose, without a port or file; else ``None``."""
    if not LINUX:
        return None
    made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
    try:
        made.bind(b"")
    except OSError:
        made.close()
        return None
    return made
