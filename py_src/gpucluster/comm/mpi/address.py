"""Addresses of ranks. Imports nothing of Dask or MPI."""

from __future__ import annotations

import re
from dataclasses import dataclass

SCHEME = "mpi"
PREFIX = f"{SCHEME}://"
_RANK = re.compile(r"(\d{1,7})\.([0-9a-f]{16})")


@dataclass(frozen=True)
class Location:
    """Where somebody listens."""

    port: str  # ``host:port`` of the listener that is for everybody who is no rank of that world.
    rank: int | None = None  # ``None``: not known yet, as before somebody listens.
    world: str = ""

    def __str__(self) -> str:
        return self.port if self.rank is None else f"{self.port}/{self.rank}.{self.world}"


def parse(location: str) -> Location:
    """Read an address, with or without its scheme; `ValueError` where it has no rank of a world."""
    port, slash, told = location.removeprefix(PREFIX).partition("/")
    if not slash:
        return Location(port)
    found = _RANK.fullmatch(told)
    if found is None:
        raise ValueError(f"{PREFIX}{location.removeprefix(PREFIX)!s} is no address of a rank: {told!r}")
    return Location(port, int(found[1]), found[2])
