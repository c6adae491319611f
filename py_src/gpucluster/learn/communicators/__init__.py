"""How the ranks of a parallel algorithm talk: on Dask workers, under MPI, or not at all."""

from __future__ import annotations

from .communicator import Communicator, SerialCommunicator
from .mpi import MPICommunicator
from .operators import Message, Operator, combine
from .workers import WorkerCommunicator

__all__ = [
    "Communicator",
    "MPICommunicator",
    "Message",
    "Operator",
    "SerialCommunicator",
    "WorkerCommunicator",
    "combine",
]
