"""Landlock: the Linux kernel restricts where a process and its children may write, read, connect and send signals.

It needs no privileges and cannot be undone. Where the kernel has no Landlock, `restrict` does nothing and returns
``False``.
"""

import ctypes
import os
import stat
import struct
from collections.abc import Collection, Iterable
from pathlib import Path

from . import LINUX

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same numbers on all architectures
_PR_SET_NO_NEW_PRIVS = 38
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = (1 << bit for bit in range(4))
_WRITES = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))  # remove and make, of every kind
_REMOVE_FILE, _MAKE_FILE = 1 << 5, 1 << 8
_REFER, _TRUNCATE, _RESOLVE_UNIX = 1 << 13, 1 << 14, 1 << 16
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _RESOLVE_UNIX
_SCOPE_ABSTRACT_SOCKETS, _SCOPE_SIGNAL = 1 << 0, 1 << 1
TRUNCATE, SCOPES, SOCKETS = 3, 6, 9
"""The versions that cover truncating files, signals and sockets without a path, and sockets with a path."""


def version() -> int:
    """Return the kernel's version of it; 0: none."""
    return max(_call(_CREATE, None, 0, 1), 0) if LINUX else 0


def restrict(
    *,
    writable: Iterable[Path],
    flat: Iterable[Path] = (),
    unreadable: Collection[Path] = (),
    unlisted: Collection[Path] = (),
    readable: Iterable[Path] = (),
    scoped: bool = False,
) -> bool:
    """Restrict this process and all that it starts from now on.

    * `writable`: files and folders below which it may write; nowhere else.
    * `flat`: folders in which it may also make, change and remove plain files, but no folders.
    * `unreadable`: files, and folders whose files, it may not read.
    * `unlisted`: folders that it may not list. The folders above them cannot be listed either.
    * `readable`: files and folders that it may read although they are in an unreadable folder.
    * `scoped`: keep it from signalling processes that are not restricted in the same way, and from connecting to their
      sockets: those without a path since version 6, those with a path, except in writable folders, since 9.

    Returns whether the kernel can do this.
    """
    has = version()
    if has < 1:
        return False
    writes = _WRITES | (_REFER if has >= 2 else 0) | (_TRUNCATE if has >= TRUNCATE else 0)
    sockets = _RESOLVE_UNIX if scoped and has >= SOCKETS else 0
    handled = writes | sockets | (_READ_FILE if unreadable else 0) | (_READ_DIR if unlisted else 0)
    scopes = _SCOPE_ABSTRACT_SOCKETS | _SCOPE_SIGNAL if scoped and has >= SCOPES else 0
    attributes = struct.pack("=QQQ", handled, 0, scopes)[: 24 if has >= SCOPES else 16 if has >= 4 else 8]
    rules = _call(_CREATE, attributes, len(attributes), 0)
    if rules < 0:
        return False
    try:
        for path in writable:
            _allow(rules, path, writes | sockets)
        for path in flat:
            _allow(rules, path, writes & (_OF_FILES | _REMOVE_FILE | _MAKE_FILE))
        for path in readable:
            _allow(rules, path, handled & _READ_FILE, os.O_NOFOLLOW)
        for path in _all_but(unreadable) if unreadable else ():
            _allow(rules, path, _READ_FILE, os.O_NOFOLLOW)
        for path in _all_but(unlisted) if unlisted else ():
            _allow(rules, path, _READ_DIR, os.O_NOFOLLOW)
        _libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        return _call(_RESTRICT, rules, 0) == 0
    finally:
        os.close(rules)


def _all_but(closed: Collection[Path]) -> Iterable[Path]:
    """Everything beside the path to these folders, because no rule can revoke access.

    Links are left out, as a rule for a link opens its target, even a closed one. What may be read has a rule at its
    real path.
    """
    paths = {path.resolve() for path in closed}
    ways = paths.union(*(path.parents for path in paths))
    above = [Path("/")]
    while above:
        folder = above.pop()
        names = _names(folder)
        if names is None:
            yield folder  # Its content cannot be separated; see `not_closable`.
            continue
        for name in names:
            beside = folder / name
            if beside not in ways:
                yield beside
            elif beside not in paths:
                above.append(beside)


def not_closable(closed: Collection[Path]) -> list[Path]:
    """Return those of the folders that `restrict` cannot close, as a folder above them may not be listed."""
    return [path for path in closed if any(_names(above) is None for above in path.resolve().parents)]


def _names(folder: Path) -> list[str] | None:
    """The content of a folder; ``None`` if it may not be listed."""
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
    except OSError:
        return None


def _allow(rules: int, path: Path, access: int, flags: int = 0) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC | flags)
    except OSError:
        return  # Gone or not visible, so not needed either.
    try:
        kind = os.fstat(place).st_mode  # Of the opened file, whatever has its name by now.
        allowed = access if stat.S_ISDIR(kind) else access & _OF_FILES
        if allowed and not stat.S_ISLNK(kind):
            _call(_ADD, rules, 1, struct.pack("=Qi", allowed, place), 0)
    finally:
        os.close(place)


def _call(number: int, *arguments: int | bytes | None) -> int:
    plain = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
    return int(_libc().syscall(ctypes.c_long(number), *plain))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
