"""Addresses of ranks. Imports nothing of Dask or MPI."""

from __future__ import annotations

import re
from dataclasses import dataclass

SCHEME = "mpi"
PREFIX = f"{SCHEME}://"
_RANK = re.compile(r"(\d{1,7})\.([0-9a-f]{16})")


@dataclass(frozen=True)
class Location:
    """Where a server listens."""

    port: str  # ``host:port`` of the listener for all that are not ranks of the world.
    rank: int | None = None  # ``None``: not known before it listens.
    world: str = ""

    def __str__(self) -> str:
        return self.port if self.rank is None else f"{self.port}/{self.rank}.{self.world}"


def parse(location: str) -> Location:
    """Read an address, with or without its scheme; `ValueError` if its rank is malformed."""
    port, slash, rank = location.removeprefix(PREFIX).partition("/")
    if not slash:
        return Location(port)
    found = _RANK.fullmatch(rank)
    if found is None:
        raise ValueError(f"{PREFIX}{location.removeprefix(PREFIX)!s} is not the address of a rank: {rank!r}")
    return Location(port, int(found[1]), found[2])
