"""The disk of a cluster's scratch directory: what is free, and how much of it one cluster may take."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

LEAST_ROOM_BYTES = 256 * 2**20
MOST_ROOM_BYTES = 10 * 2**30
ROOM_SHARE = 0.05  # Fraction of a disk left to everything else: notebooks, other users, the registry.
AUTO_SHARE = 0.5  # Of what is free beyond that: others start clusters, too.
SMALL_DISK_SHARE = 0.25  # Of a disk so small that the least room would be most of it.


@dataclass(frozen=True)
class Disk:
    """A disk, as it is now."""

    path: str  # Where it is mounted.
    total_bytes: int
    free_bytes: int  # For this user.

    @property
    def room_bytes(self) -> int:
        least = min(LEAST_ROOM_BYTES, int(SMALL_DISK_SHARE * self.total_bytes))
        return min(MOST_ROOM_BYTES, max(least, int(ROOM_SHARE * self.total_bytes)))


def disk_of(folder: Path) -> Disk:
    """Return the disk of an existing folder. Raises `OSError`."""
    found = os.statvfs(folder)
    place = folder.resolve()
    while not os.path.ismount(place) and place != place.parent:
        place = place.parent
    return Disk(str(place), found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize)


def limit_bytes(wanted: int | float | str | None, disk: Disk) -> int | None:
    """Return how many bytes of a disk a cluster that starts now may take; ``None``: no limit.

    `wanted`: bytes, a fraction of the whole disk, ``auto``, or ``None``.
    """
    if wanted is None:
        return None
    if wanted == "auto":
        return int(AUTO_SHARE * max(0, disk.free_bytes - disk.room_bytes))
    return int(wanted * disk.total_bytes) if isinstance(wanted, float) else int(wanted)
