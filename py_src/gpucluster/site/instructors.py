"""Who may message and stop the clusters of others on this machine: whom the site's file names, by account."""

from __future__ import annotations

import grp
import os
import pwd
import threading
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass

from .reading import this_site

KNOWN_SECONDS = 60.0  # So long the numbers of names are remembered: accounts may come from a directory service.


@dataclass(frozen=True)
class Instructors:
    """Those whom the site names."""

    names: tuple[str, ...] = ()
    users: frozenset[int] = frozenset()
    groups: frozenset[int] = frozenset()

    def include(self, user: int, groups: Collection[int]) -> bool:
        """Return whether somebody of that user number, and of these groups, is one of them.

        Where there are some, root is one: root can do anything else here, too.
        """
        return bool(self.names) and (user == 0 or user in self.users or not self.groups.isdisjoint(groups))


_lock = threading.Lock()
_known: tuple[float, Instructors] | None = None


def instructors() -> Instructors:
    """Return whom the site names now."""
    global _known
    names = this_site().sharing.instructors
    with _lock:
        if _known is None or _known[1].names != names or time.monotonic() - _known[0] > KNOWN_SECONDS:
            _known = time.monotonic(), _numbers(names)
        return _known[1]


def is_instructor() -> bool:
    """Return whether this process belongs to one; those who are asked look for themselves."""
    return instructors().include(os.getuid(), {os.getgid(), *os.getgroups()})


def unknown(names: Collection[str]) -> list[str]:
    return [name for name in names if not (found := _numbers((name,))).users and not found.groups]


def _numbers(names: tuple[str, ...]) -> Instructors:
    users, groups = set(), set()
    for name in names:
        # A name may be both, as that of a user's own group; one that is neither may be known on another machine.
        with suppress(KeyError):
            users.add(pwd.getpwnam(name).pw_uid)
        with suppress(KeyError):
            groups.add(grp.getgrnam(name).gr_gid)
    return Instructors(names, frozenset(users), frozenset(groups))
