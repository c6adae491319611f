"""Messages for refusals of the operating system: a full disk, too many open files, unreadable names."""

import errno
import os
import re
import resource
import sys
from contextlib import suppress
from pathlib import Path

from .sizes import format_size

_CLOSED = "You may not write to {folder} on the disk {disk}. Change its permissions, or use another folder."
_REFUSALS = {
    errno.ENOSPC: "The disk {disk} is full{figures}: nothing can be written in {folder}. Free some space there.",
    errno.EDQUOT: "Your quota on the disk {disk} is used up: nothing can be written in {folder}. "
    "Free some space there.",
    errno.EROFS: "The disk {disk} is read-only: nothing can be written in {folder}. Make it writable, or use another.",
    errno.EACCES: _CLOSED,
    errno.EPERM: _CLOSED,
}


def storage_refusal(error: BaseException | None, folder: Path) -> str | None:
    """Return why nothing can be written in a folder, and on which disk, in two sentences; ``None``: other errors."""
    refusal = _REFUSALS.get(error.errno or 0) if isinstance(error, OSError) else None
    if refusal is None:
        return None
    if refusal is _CLOSED and (named := folder_of(error, folder)).is_absolute():
        folder = named  # It may be a folder inside this one.
    disk, figures = _disk(folder)
    return refusal.format(disk=disk, figures=figures, folder=folder)


def path_refusal(path: str) -> str | None:
    """Return why a path cannot be used if it cannot be decoded or encoded as a file name."""
    encoding = sys.getfilesystemencoding()
    try:
        os.fsencode(path)
        path.encode()
    except UnicodeEncodeError:
        # No message can contain surrogates: those by which Python replaces a byte become it again, others '?'.
        shown = re.sub("[\ud800-\udc7f\udd00-\udfff]", "?", path)
        shown = shown.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        if encoding.lower().replace("-", "") == "utf8":
            return f"The path {shown} is not UTF-8. Choose another directory."
        return (
            f"The path {shown} cannot be read here, because file names are decoded as {encoding}. Set PYTHONUTF8=1 or "
            "a locale with UTF-8, such as LC_ALL=C.UTF-8, or choose a directory whose path is ASCII."
        )
    return None


def folder_of(error: BaseException | None, default: Path) -> Path:
    """Return the folder of the file that an error names, else the default."""
    name = error.filename if isinstance(error, OSError) else None
    return Path(os.fsdecode(name)).parent if isinstance(name, (str, bytes)) else default


def open_files_refusal(error: BaseException | None) -> str | None:
    """Return that a process may not open more files, with how many it may; ``None`` for another error."""
    if isinstance(error, OSError) and error.errno == errno.EMFILE:
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return (
            f"all {most} open files that one process may have are in use. Request fewer workers, or raise the limit "
            "(ulimit -n) before you start Jupyter or the cluster"
        )
    if isinstance(error, OSError) and error.errno == errno.ENFILE:
        return "this machine has no more free file descriptors. Use fewer workers, or contact its administrator"
    return None


def _disk(folder: Path) -> tuple[str, str]:
    """Return where the disk of a folder is mounted, and how much of it is left."""
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    figures = ""
    with suppress(OSError):
        found = os.statvfs(place)
        if not found.f_bavail:
            figures = f" ({format_size(found.f_blocks * found.f_frsize)} in all)"
        elif found.f_files and not found.f_favail:
            figures = " (it has no free inodes)"
    while not os.path.ismount(place) and place != place.parent:
        place = place.parent
    return str(place), figures
