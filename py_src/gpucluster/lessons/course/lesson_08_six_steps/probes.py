"""The messages that workers send each other while an algorithm runs, written down by the workers themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType

    from distributed import Client

_UNRECORDED = "_send_unrecorded"


@dataclass(frozen=True)
class SentMessage:
    """One message from one worker to another.

    Attributes
    ----------
    seconds : float
        When it was sent: seconds since 1970, by the clock that Dask's task stream has.
    source, target : str
        Addresses of the two workers.
    operation : str
        The collective operation it belongs to, such as ``"allreduce"``.
    number : int
        Which of the operations of its computation that is, from 1.
    bytes : int
        Size of the numbers in it.
    """

    seconds: float
    source: str
    target: str
    operation: str
    number: int
    bytes: int


class MessageLog:
    """Write down what `gpucluster.learn` sends from worker to worker inside a ``with`` block.

    What other libraries send over their own connections, such as NCCL, is not seen here: the list then stays empty.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.

    Attributes
    ----------
    messages : list of SentMessage
        In the order of time, known when the block has ended.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.messages: list[SentMessage] = []

    @property
    def bytes(self) -> int:
        """Size of all messages together."""
        return sum(message.bytes for message in self.messages)

    def __len__(self) -> int:
        return len(self.messages)

    def __enter__(self) -> MessageLog:
        self.client.run(_begin)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        found = self.client.run(_end)
        self.messages = sorted((SentMessage(*entry) for sent in found.values() for entry in sent), key=_by_time)


def _by_time(message: SentMessage) -> float:
    return message.seconds


def size_of(value: Any) -> int:
    """Return the bytes of all numbers in a message: arrays, numbers, and tuples, lists or dictionaries of these."""
    if hasattr(value, "nbytes"):
        return int(value.nbytes)
    if isinstance(value, (bool, int, float)):
        return 8
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, dict):
        return sum(size_of(part) for part in value.values())
    return sum(size_of(part) for part in value) if isinstance(value, (tuple, list)) else 0


# on the workers ----------------------------------------------------------------------------------


def _begin(dask_worker: Any) -> None:
    from gpucluster.dask_internals.machine import clock  # the clock of the task stream
    from gpucluster.learn.communicators.workers import WorkerCommunicator

    _end(dask_worker)  # an earlier log that was not closed
    sent = dask_worker._gpucluster_sent = []
    original = WorkerCommunicator._send

    def recorded(communicator: Any, message: Any, to: int) -> None:
        name, value = message
        operation, _, number = name.partition(" ")
        source, target = communicator._addresses[communicator.rank], communicator._addresses[to]
        sent.append((clock(), source, target, operation, int(number.strip("()")), size_of(value)))
        original(communicator, message, to)

    setattr(WorkerCommunicator, _UNRECORDED, original)
    WorkerCommunicator._send = recorded  # type: ignore[method-assign, assignment]


def _end(dask_worker: Any) -> list[tuple[Any, ...]]:
    from gpucluster.learn.communicators.workers import WorkerCommunicator

    original = WorkerCommunicator.__dict__.get(_UNRECORDED)
    if original is not None:
        WorkerCommunicator._send = original  # type: ignore[method-assign]
        delattr(WorkerCommunicator, _UNRECORDED)
    sent: list[tuple[Any, ...]] = dask_worker.__dict__.pop("_gpucluster_sent", [])
    return sent
