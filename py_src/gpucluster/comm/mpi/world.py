"""What the ranks of one program have in common: a communicator of ours alone, a name, bells."""

from __future__ import annotations

import secrets
from typing import Any

from .bell import SECRET_BYTES, Bell

_NAME_BYTES = 8
_joined: World | None = None


class World:
    """All ranks of this program, as this process sees them. Made by ``join``."""

    def __init__(self, communicator: Any, host: str) -> None:
        # A copy: no message of somebody's own code, or of gpucluster.learn, is ever taken for one of Dask's.
        self.communicator: Any = communicator.Dup()
        self.rank: int = self.communicator.Get_rank()
        self.size: int = self.communicator.Get_size()
        token: bytes = self.communicator.bcast(secrets.token_bytes(_NAME_BYTES + SECRET_BYTES), root=0)
        self.name = token[:_NAME_BYTES].hex()
        self.bell = Bell(host)
        places = self.communicator.allgather((host, self.bell.place))
        self.hosts: list[str] = [host for host, _ in places]
        """Address of the host of each rank."""
        self.bell.meet([place for _, place in places], token[_NAME_BYTES:], self.rank)

    def is_near(self, rank: int) -> bool:
        """Return whether a rank is on this machine."""
        return self.bell.is_near(rank)


def join(host: str) -> World:
    """Join the other ranks; all of them must call it, once each. The second call of a process returns the first world.

    Parameters
    ----------
    host : str
        Address by which ranks of other machines reach this one.

    Raises
    ------
    RuntimeError
        MPI does not allow several threads, which Dask has.
    """
    global _joined
    if _joined is None:
        from mpi4py import MPI

        if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
            raise RuntimeError(
                "protocol 'mpi' needs an MPI that allows calls from several threads (MPI_THREAD_MULTIPLE), and "
                f"{MPI.Get_library_version().splitlines()[0].strip()} was started without. Create the cluster with "
                "protocol='tls', or load another MPI"
            )
        _joined = World(MPI.COMM_WORLD, host)
    return _joined


def here() -> World | None:
    """Return the world that this process has joined; ``None``: it is no rank, or has not."""
    return _joined
