"""The site of this machine: its file, read again when it has changed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from ..sharing.policy import GPUPolicy
from .model import Site
from .place import Stamp, UnreadableSite, read_site, site_path, stamp_of

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
