"""Communication between the ranks of a parallel algorithm: on Dask workers, under MPI, or with a single rank."""

from __future__ import annotations

from .communicator import Communicator, Message, Operator, SerialCommunicator, combine
from .mpi import MPICommunicator
from .workers import WorkerCommunicator

__all__ = [
    "Communicator", "MPICommunicator", "Message", "Operator", "SerialCommunicator", "WorkerCommunicator", "combine",
]  # fmt: skip
