"""The registry's directory, and proof that no other user can read or write anything in it."""

import errno
import os
import pwd
import shlex
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..protocol.errors import RegistryUnsafe, RegistryUnwritable
from ..protocol.plain_text import printable
from ..protocol.refusals import storage_refusal
from .replacement import replace_text

VARIABLE = "GPUCLUSTER_DIR"
_MOST_LINKS = 40  # as the kernel follows
_SOCKET_PATH_MAX = 100  # sun_path has 108 bytes


def default_directory() -> Path:
    """Return where this user's clusters are written down: ``$GPUCLUSTER_DIR``, else ``/tmp/gpucluster-<uid>``.

    That is on a local disk, as unix sockets and locks do not work on shared homes. Raises `RegistryUnsafe` for a
    relative path in the variable, which would differ between working directories.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen and not os.path.isabs(chosen):
        raise RegistryUnsafe(
            f"{VARIABLE} is '{printable(chosen)}', which depends on the current directory: set it to a path that "
            "begins with '/'."
        )
    return Path(chosen) if chosen else Path(f"/tmp/gpucluster-{os.getuid()}")  # noqa: S108  # proved private


def secure_directory(path: Path) -> Path:
    """Make the directory if needed and prove that it is private.

    Raises `RegistryUnsafe` when it belongs to another user, is open to others, is a link, or its path is too long.
    """
    if len(os.fsencode(path)) + len("/12345678/socket") > _SOCKET_PATH_MAX:
        raise RegistryUnsafe(f"The path {path} is too long for unix sockets; set {VARIABLE} to a shorter one.")
    advice = f"Set {VARIABLE} to a directory that only you can enter."
    try:
        if (place := _place_of_others(path)) is not None:
            raise RegistryUnsafe(f"Other users can write to {place} and could replace {path} with another. {advice}")
        with suppress(FileExistsError):
            path.mkdir(mode=0o700, parents=False)
        found = os.lstat(path)
    except OSError as error:
        free = "free some space there, or " if error.errno in {errno.ENOSPC, errno.EDQUOT} else ""
        raise RegistryUnsafe(
            f"The cluster directory {path} cannot be created ({error.strerror}); {free}set {VARIABLE} to one of "
            "your own directories."
        ) from error
    if not stat.S_ISDIR(found.st_mode):
        raise RegistryUnsafe(_in_the_way(path, found))
    if found.st_uid != os.getuid():
        raise RegistryUnsafe(f"The cluster directory {path} belongs to another user, {_owner(found)}. {advice}")
    if stat.S_IMODE(found.st_mode) & 0o077:
        if not found.st_mode & 0o022:  # If others could write, its content may be theirs.
            advice = f"Run: chmod 700 {shlex.quote(str(path))}. Or {advice[0].lower()}{advice[1:]}"
        raise RegistryUnsafe(f"The cluster directory {path} is open to other users. {advice}")
    return path


def unreadable_directory(path: Path, error: OSError) -> RegistryUnsafe:
    """Return the refusal of a directory whose entries cannot be read."""
    return RegistryUnsafe(
        f"The cluster directory {path} cannot be read ({error.strerror or error}). Run: chmod 700 "
        f"{shlex.quote(str(path))}. Or set {VARIABLE} to a directory that only you can enter."
    )


def _in_the_way(path: Path, found: os.stat_result) -> str:
    """Return what occupies the directory's path, its owner, and what to do."""
    kinds = {stat.S_IFREG: "A file", stat.S_IFLNK: "A link", stat.S_IFIFO: "A pipe", stat.S_IFSOCK: "A socket"}
    what = kinds.get(stat.S_IFMT(found.st_mode), "A device")
    mine = found.st_uid == os.getuid()
    whose = "yours" if mine else f"of the user {_owner(found)}"
    first = "Move it away" if mine else "Ask its owner to remove it"
    return (
        f"{what} ({whose}) is at {path}, where gpucluster keeps your clusters: it is not a directory. {first}, or "
        f"set {VARIABLE} to a directory that only you can enter."
    )


def _owner(found: os.stat_result) -> str:
    try:
        return pwd.getpwuid(found.st_uid).pw_name
    except KeyError:
        return str(found.st_uid)


def _place_of_others(path: Path, links: int = 0) -> Path | None:
    """Return a directory or link on the way to a path that others can change; links are followed one by one."""
    if links > _MOST_LINKS:
        return path
    for parent in reversed(path.parents):
        if not parent.is_symlink():
            if not others_cannot_replace(parent):
                return parent
            continue
        # The owner of a link can replace it, even in a directory such as /tmp.
        if os.lstat(parent).st_uid not in {0, os.getuid()}:
            return parent
        found = _place_of_others(parent.parent / os.readlink(parent) / path.name, links + 1)
        if found is not None:
            return found
    return None


def others_cannot_replace(directory: Path) -> bool:
    """Whether no other user can rename or replace what is mine in this directory."""
    found = os.stat(directory)
    shared = stat.S_IMODE(found.st_mode) & 0o022
    return found.st_uid in {0, os.getuid()} and (not shared or bool(found.st_mode & stat.S_ISVTX))


def write_private(path: Path, content: str) -> None:
    """Write a file of mode 0600 atomically: readers see the old or the new content, never a part."""
    replace_text(path, content, mode=0o600)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Write in a folder of the registry.

    Raises `RegistryUnwritable` with the reason. The caller handles missing and existing files.
    """
    try:
        yield
    except (FileNotFoundError, FileExistsError):
        raise
    except OSError as error:
        refusal = storage_refusal(error, folder) or f"Nothing can be written in {folder}: {error.strerror or error}."
        raise RegistryUnwritable(refusal) from error
