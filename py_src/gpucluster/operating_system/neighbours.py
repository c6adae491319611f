"""Other processes of the same user on this machine: how to wake them, and whether they may read each other's memory."""

from __future__ import annotations

import os
import socket
from contextlib import suppress

from . import LINUX


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


def may_read_each_other() -> bool:
    """Whether processes of one user may read each other's memory (``process_vm_readv``): Yama may forbid it."""
    if not LINUX:
        return False
    try:
        with open("/proc/sys/kernel/yama/ptrace_scope", encoding="ascii") as file:
            return file.read().strip() == "0"
    except FileNotFoundError:
        return True
    except OSError:
        return False
