"""Folders and sockets reached by a descriptor, files that others may change, and those that killed processes leave."""

import ctypes
import errno
import io
import multiprocessing
import os
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from . import LINUX
from .resources import SHARED_MEMORY

_DESCRIPTORS = "/proc/self/fd/"
_LONGEST_ADDRESS_BYTES = 100  # The limit for the address of a socket is 107 (macOS 103).
_USUAL_LIMITS = (10_240, 4_096, 1_024)  # macOS reports no limit, and accepts nothing above the first.

PLACE = (os.O_PATH if LINUX else os.O_RDONLY) | os.O_CLOEXEC
"""Flags for a folder from which others are opened; on Linux it need not be listable."""


@contextmanager
def short_address(path: str) -> Iterator[str]:
    """Yield an address at which a socket can be bound or reached, however long its path is."""
    if len(os.fsencode(path)) <= _LONGEST_ADDRESS_BYTES:
        yield path
        return
    if not LINUX:
        raise OSError(errno.ENAMETOOLONG, "too long for a socket address", path)
    folder, name = os.path.split(path)
    descriptor = os.open(folder, PLACE | os.O_DIRECTORY)
    try:
        yield f"{_DESCRIPTORS}{descriptor}/{name}"
    finally:
        os.close(descriptor)


def address_of_folder(descriptor: int) -> str:
    """Return a short path of a folder that this process holds open. Linux only."""
    return f"{_DESCRIPTORS}{descriptor}"


def without_name(path: str) -> str:
    """Remove a socket's name; return an address that no process can use that may not trace this one. Linux only."""
    descriptor = os.open(path, PLACE | os.O_NOFOLLOW)
    os.unlink(path)
    return f"{_DESCRIPTORS}{descriptor}"


def allow_many_files() -> None:
    """Raise this process's limit of open files as far as the system allows."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    for wanted in (most, *_USUAL_LIMITS):
        if now != resource.RLIM_INFINITY and (wanted > now or wanted == resource.RLIM_INFINITY):
            with suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
                return


def everybody_may_fill(folder: str) -> bool:
    """Whether any user of the machine could put a file into this folder, or replace the folder."""
    place = Path(os.path.realpath(folder))
    if place.stat().st_mode & stat.S_IWOTH:
        return True
    above = (parent.stat().st_mode for parent in place.parents)
    # With the sticky bit, as on /tmp, users cannot move what belongs to others.
    return any(mode & stat.S_IWOTH and not mode & stat.S_ISVTX for mode in above)


_HERE = -100
_RENAME_EXCHANGE = 2


def exchange_names(one: Path, other: Path) -> bool:
    """Exchange the names of two files atomically; return whether that was done."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if LINUX else None
    return rename is not None and rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _RENAME_EXCHANGE) == 0


LARGEST_OWN_FILE = 16 * 2**20
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # A pipe does not block.
_FOLDER = PLACE | os.O_DIRECTORY


class NotPlain(Exception):
    """The file cannot be read as a whole; the text continues "it"."""


def read_plain_file(path: Path, largest: int, *, below: Path | None = None) -> bytes:
    """Return the content of a plain file: no pipe, no device, nothing without end.

    * `path`: the file.
    * `largest`: maximum size in bytes.
    * `below`: a folder above it, below which others may write: no link is followed there, even in place of a folder.
      Default: links are followed.

    Raises `NotPlain` (when it is a link, no plain file, or too large) or `OSError` (when it cannot be opened or read).
    """
    # While Python exits, there is no function `open` any more, but clusters are still closed.
    with io.BufferedReader(io.FileIO(_open_plain_file(path, below))) as file:
        # Checked first: a large file, even a sparse one, is not read at all.
        content = b"" if os.fstat(file.fileno()).st_size > largest else file.read(largest + 1)
        if len(content) > largest or os.fstat(file.fileno()).st_size > largest:
            raise NotPlain(f"is larger than {_size(largest)}")
    return content


def open_own_file(path: Path) -> int:
    """Open a file of a private folder for reading, whatever has replaced it; returns the descriptor."""
    try:
        return _open_plain_file(path, path.parent)
    except NotPlain as error:
        raise OSError(errno.EINVAL, str(error), str(path)) from None


def read_own_file(path: Path, largest: int = LARGEST_OWN_FILE) -> bytes:
    """Return the content of a file of a private folder, whatever has replaced it."""
    try:
        return read_plain_file(path, largest, below=path.parent)
    except NotPlain as error:
        raise OSError(errno.EINVAL, str(error), str(path)) from None


def _open_plain_file(path: Path, below: Path | None) -> int:
    descriptor = os.open(path, _FILE) if below is None else _open_below(below, path.relative_to(below).parts)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotPlain("is not a plain file")
    return descriptor


def _open_below(folder: Path, parts: tuple[str, ...]) -> int:
    """Open a file step by step from a folder, so that a link in place of any folder on the way is noticed."""
    place = os.open(folder, _FOLDER)
    try:
        for name in parts[:-1]:
            inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=place)
            os.close(place)
            place = inner
        return os.open(parts[-1], _FILE | os.O_NOFOLLOW, dir_fd=place)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise NotPlain("is a link" if len(parts) == 1 else "is a link, or is behind one") from None
        raise
    finally:
        os.close(place)


def _size(count: int) -> str:
    return f"{count // 2**20} MiB" if count >= 2**20 else f"{count // 2**10} KiB"


FOLDER = "mp"  # In a cluster's own folder.


def semaphore_prefix(cluster_id: str) -> str:
    """Return the prefix of the names of all semaphores of a cluster, which no others have."""
    return f"gpucluster-{cluster_id}"


def semaphore_refusal() -> str | None:
    """Return why this process cannot make a semaphore, which each start of a worker needs; ``None`` if it can."""
    try:
        multiprocessing.get_context("spawn").Lock()
    except OSError as error:
        return (
            f"Semaphores, which worker processes need, cannot be created: {error.strerror or error}. Make "
            f"{SHARED_MEMORY} writable; in a container: --tmpfs {SHARED_MEMORY}."
        )
    return None


def make_no_more_semaphores() -> None:
    """Let this process make no further ones, and so start no process of ``multiprocessing``."""
    config: dict[str, Any] = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    config["semprefix"] = "/no/such"  # Names with a second slash are invalid.


def remove_semaphores(cluster_id: str) -> None:
    """Remove the semaphores that are left of a cluster. Its processes must be gone."""
    for path in SHARED_MEMORY.glob(f"sem.{semaphore_prefix(cluster_id)}-*"):
        with suppress(OSError):
            path.unlink(missing_ok=True)
