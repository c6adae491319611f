"""The site of this machine: its file, read again when it has changed, and the instructors that it names."""

from __future__ import annotations

import grp
import os
import pwd
import stat
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..sharing.node import GPUPolicy
from . import site_path
from .model import Site

MOST_BYTES = 2**20

Stamp = tuple[int, int, int, int]  # State of a file: device, inode, size, time of the last change.


class UnreadableSite(Exception):
    """The file exists but cannot be used; the message has no full stop."""


def stamp_of(path: Path) -> Stamp | None:
    """Return the state of the file; ``None``: there is none."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    except OSError:
        return (0, 0, 0, 0)  # It may exist: reading it reports the reason.
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def read_site(path: Path) -> str:
    """Return the text of the file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UnreadableSite(f"it cannot be read ({error.strerror})") from error
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise UnreadableSite("it is not a file")
        if found.st_uid not in {0, os.getuid()}:
            raise UnreadableSite("it must belong to root, or to you")
        if stat.S_IMODE(found.st_mode) & 0o022:
            raise UnreadableSite("other users can write to it: chmod go-w")
        data = os.read(descriptor, MOST_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(data) > MOST_BYTES:
        raise UnreadableSite("it is larger than 1 MiB")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UnreadableSite(f"it is not UTF-8 (byte {error.start})") from error


_lock = threading.Lock()
_known: tuple[Path, Stamp | None, Site] | None = None
_reported: set[str] = set()
_narrowed: Callable[[Site], Site] | None = None


def this_site() -> Site:
    """Return the present content of the file without its invalid parts, which ``troubles`` lists."""
    global _known
    path = site_path()
    stamp = stamp_of(path)
    with _lock:
        if _known is None or _known[:2] != (path, stamp):
            site = site_of(path) if stamp is not None else Site(path)
            _known = path, stamp, site if _narrowed is None else _narrowed(site)
        return _known[2]


def narrow_this_site(narrowed: Callable[[Site], Site] | None) -> None:
    """Let ``this_site`` return a changed site in this process; None: the file's."""
    global _known, _narrowed
    with _lock:
        _known, _narrowed = None, narrowed


def site_of(path: Path) -> Site:
    """Read one file; returns a site even if it is invalid."""
    from .sections import read_sections, site_of_nothing

    try:
        text = read_site(path)
    except FileNotFoundError:
        return Site(path)
    except UnreadableSite as error:
        return site_of_nothing(path, f"The site's file {path} cannot be used: {error}.")
    return read_sections(path, text)


def new_troubles() -> list[str]:
    """Return the errors in the site's file that this process has not reported yet."""
    found = [trouble for trouble in this_site().troubles if trouble not in _reported]
    _reported.update(found)
    return found


def gpu_policy() -> GPUPolicy:
    sharing = this_site().sharing
    return GPUPolicy(
        slots=sharing.slots_per_gpu,
        reserved=sharing.reserved_gpus,
        all_reserved=sharing.all_reserved,
        per_user=sharing.per_user.gpus,
        lifetime=sharing.per_user.walltime,
    )


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


_instructors_lock = threading.Lock()
_known_instructors: tuple[float, Instructors] | None = None


def instructors() -> Instructors:
    global _known_instructors
    names = tuple(this_site().sharing.instructors)
    with _instructors_lock:
        if (
            _known_instructors is None
            or _known_instructors[1].names != names
            or time.monotonic() - _known_instructors[0] > KNOWN_SECONDS
        ):
            _known_instructors = time.monotonic(), _ids_of(names)
        return _known_instructors[1]


def is_instructor() -> bool:
    """Whether this process belongs to an instructor; the clusters' processes check it again."""
    return instructors().include(os.getuid(), {os.getgid(), *os.getgroups()})


def unknown_accounts(names: Collection[str]) -> list[str]:
    return [name for name in names if not (found := _ids_of((name,))).users and not found.groups]


def _ids_of(names: tuple[str, ...]) -> Instructors:
    users, groups = set(), set()
    for name in names:
        # A name may be both, like a user's own group; one that is neither may be known on another machine.
        with suppress(KeyError):
            users.add(pwd.getpwnam(name).pw_uid)
        with suppress(KeyError):
            groups.add(grp.getgrnam(name).gr_gid)
    return Instructors(names, frozenset(users), frozenset(groups))
