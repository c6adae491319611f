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
_told: set[str] = set()
_narrowed: Callable[[Site], Site] | None = None


def this_site() -> Site:
    """Return what the file says now. A file that is wrong in part is taken without that part; ``troubles`` tells."""
    global _known
    path = site_path()
    stamp = stamp_of(path)
    with _lock:
        if _known is None or _known[:2] != (path, stamp):
            site = site_of(path) if stamp is not None else Site(path)
            _known = path, stamp, site if _narrowed is None else _narrowed(site)
        return _known[2]


def narrow_this_site(narrowed: Callable[[Site], Site] | None) -> None:
    """Let ``this_site`` be what this returns of the file's, in this process; None: what the file says."""
    global _known, _narrowed
    with _lock:
        _known, _narrowed = None, narrowed


def site_of(path: Path) -> Site:
    """Read one file. Whatever is wrong with it, there is a site."""
    from .sections import read_sections, site_of_nothing

    try:
        text = read_site(path)
    except FileNotFoundError:
        return Site(path)
    except UnreadableSite as error:
        return site_of_nothing(path, f"The site's file {path} cannot be used: {error}.")
    return read_sections(path, text)


def new_troubles() -> list[str]:
    """Return what is wrong with the site's file and was not told by this process before."""
    found = [trouble for trouble in this_site().troubles if trouble not in _told]
    _told.update(found)
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
