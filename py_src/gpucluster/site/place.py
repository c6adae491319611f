"""The location of the site's file, and proof that no other user could have written it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

VARIABLE = "GPUCLUSTER_SITE"
DEFAULT = Path("/etc/gpucluster/site.yaml")
MOST_BYTES = 2**20

Stamp = tuple[int, int, int, int]  # State of a file: device, inode, size, time of the last change.


class UnreadableSite(Exception):
    """The file exists but cannot be used; the message has no full stop."""


def site_path() -> Path:
    """Return ``$GPUCLUSTER_SITE``, else ``/etc/gpucluster/site.yaml``."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen).absolute() if chosen else DEFAULT


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
            raise UnreadableSite("others may write to it: chmod go-w")
        data = os.read(descriptor, MOST_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(data) > MOST_BYTES:
        raise UnreadableSite("it is larger than 1 MiB")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UnreadableSite(f"it is not UTF-8 (byte {error.start})") from error
