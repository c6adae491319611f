"""The accounts that may message and stop the clusters of others on this machine, as named in the site's file."""

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

KNOWN_SECONDS = 60.0  # How long the ids of names are cached: accounts may come from a directory service.


@dataclass(frozen=True)
class Instructors:
    """The users and groups that the site names."""

    names: tuple[str, ...] = ()
    users: frozenset[int] = frozenset()
    groups: frozenset[int] = frozenset()

    def include(self, user: int, groups: Collection[int]) -> bool:
        """Whether a user with this id and these groups is an instructor.

        If there are any, root is one: root can do anything else here as well.
        """
        return bool(self.names) and (user == 0 or user in self.users or not self.groups.isdisjoint(groups))


_lock = threading.Lock()
_known: tuple[float, Instructors] | None = None


def instructors() -> Instructors:
    global _known
    names = tuple(this_site().sharing.instructors)
    with _lock:
        if _known is None or _known[1].names != names or time.monotonic() - _known[0] > KNOWN_SECONDS:
            _known = time.monotonic(), _numbers(names)
        return _known[1]


def is_instructor() -> bool:
    """Whether this process belongs to an instructor; the clusters' processes check it again."""
    return instructors().include(os.getuid(), {os.getgid(), *os.getgroups()})


def unknown(names: Collection[str]) -> list[str]:
    return [name for name in names if not (found := _numbers((name,))).users and not found.groups]


def _numbers(names: tuple[str, ...]) -> Instructors:
    users, groups = set(), set()
    for name in names:
        # A name may be both, like a user's own group; one that is neither may be known on another machine.
        with suppress(KeyError):
            users.add(pwd.getpwnam(name).pw_uid)
        with suppress(KeyError):
            groups.add(grp.getgrnam(name).gr_gid)
    return Instructors(names, frozenset(users), frozenset(groups))
