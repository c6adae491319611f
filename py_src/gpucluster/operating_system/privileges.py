"""What a process gives up for good, on Linux: the superuser's privileges, and being inspected by others."""

from __future__ import annotations

import ctypes
import os
import struct
from contextlib import suppress

from . import LINUX

_PR_SET_DUMPABLE = 4
_PR_CAPBSET_READ, _PR_CAPBSET_DROP, _PR_SET_SECUREBITS = 23, 24, 28
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
_NOTHING_FOR_ROOT = 0b1111  # SECBIT_NOROOT, SECBIT_NO_SETUID_FIXUP, each with its lock
_CAPABILITY_VERSION_3 = 0x20080522


def drop_capabilities() -> bool:
    """Give up all privileges beyond those of an ordinary owner of files, for good; return whether none is left.

    A graded notebook has none of them, even where root runs ``gpucluster lessons grade``. This holds for the calling
    thread and what it starts: call it before there are others.
    """
    if not LINUX:  # Elsewhere only the superuser has such privileges, and keeps them.
        return os.getuid() != 0
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    for right in range(64):
        if libc.prctl(_PR_CAPBSET_READ, right, 0, 0, 0) < 0:
            break
        libc.prctl(_PR_CAPBSET_DROP, right, 0, 0, 0)
    libc.prctl(_PR_SET_SECUREBITS, _NOTHING_FOR_ROOT, 0, 0, 0)
    header, nothing = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0), struct.pack("=6I", *[0] * 6)
    return bool(libc.capset(header, nothing) == 0)


def close_memory() -> None:
    if LINUX:
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


KINDS = ("user", "mnt", "pid", "net", "ipc", "uts")


def namespaces_of(process: int | str = "self") -> dict[str, str]:
    """Return the visible namespaces of a process by kind, each as a unique text."""
    found = {}
    for kind in KINDS:
        with suppress(OSError):
            found[kind] = os.readlink(f"/proc/{process}/ns/{kind}")
    return found


def separated(of: dict[str, str], other: dict[str, str]) -> list[str]:
    """Return the kinds of namespaces that two processes do not share."""
    return [kind for kind in KINDS if kind in of and kind in other and of[kind] != other[kind]]
