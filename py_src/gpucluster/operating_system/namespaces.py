"""The namespaces that a process lies in: what of the system it has for itself."""

from __future__ import annotations

import os
from contextlib import suppress

KINDS = ("user", "mnt", "pid", "net", "ipc", "uts")


def namespaces_of(process: int | str = "self") -> dict[str, str]:
    """Return the namespaces of a process by kind, each a text that no other namespace has; those that may be seen."""
    found = {}
    for kind in KINDS:
        with suppress(OSError):
            found[kind] = os.readlink(f"/proc/{process}/ns/{kind}")
    return found


def separated(of: dict[str, str], other: dict[str, str]) -> list[str]:
    """Return the kinds in which two processes do not share their namespace."""
    return [kind for kind in KINDS if kind in of and kind in other and of[kind] != other[kind]]
