"""The ranks of an MPI program: started by ``mpiexec``, or the workers of a dask-mpi cluster."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...comm.mpi.world import PREFIX, here, parse
from ..arrays import Array
from ..errors import MissingMPI, PeerLost
from .communicator import Communicator, Message, Operator, combine_all, disagreement

_LOOK_SECONDS = 0.1  # How often a waiting rank checks whether the computation was cancelled.
_SPIN_SECONDS = 0.0003
_SLEEP_AFTER_SECONDS = 0.02  # A longer wait is for another rank's work, which may need this processor.
_SLEEP_SECONDS = 0.0005
_abandoned: list[Any] = []  # Cancelled MPI operations, with the memory that MPI may still write to.
_OPERATIONS = ("allreduce", "reduce", "broadcast", "gather", "barrier")
_NO_BUFFER = -1
_LEAST_TAG_BOUND = 32767  # Every MPI has at least this many tags.


def load_mpi() -> Any:
    """Return the module ``mpi4py.MPI``, whose import starts MPI in this process; raises `MissingMPI` if it fails."""
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise MissingMPI(f"MPI is not available ({error}). Install it with: pip install 'gpucluster[mpi]'") from error
    return MPI


class MPICommunicator(Communicator):
    """MPI's own collective operations.

    Arrays of NumPy travel as buffers, tuples of arrays of one type as one buffer, everything else pickled.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm, optional
        The ranks that take part; all processes of the program (``MPI.COMM_WORLD``) when not given.
    look : callable, optional
        Raises `PeerLost` where this rank was cancelled. The next operation then raises it on all ranks, because MPI
        would wait for a missing rank forever.

    Raises
    ------
    MissingMPI
        mpi4py or an MPI library is not installed.
    """

    def __init__(self, comm: Any = None, look: Callable[[], None] = lambda: None) -> None:
        self._mpi = load_mpi()
        self.comm = self._mpi.COMM_WORLD if comm is None else comm
        self.rank = self.comm.Get_rank()
        self.size = self.comm.Get_size()
        self._look = look
        self.n_operations = 0
        self._by_name = {"sum": self._mpi.SUM, "min": self._mpi.MIN, "max": self._mpi.MAX}

    def allreduce(self, value: Message, op: Operator = "sum") -> Message:
        """``MPI_Allreduce`` where all ranks have arrays of the same shapes; otherwise a reduction and a broadcast."""
        flat = _flattened(value) if isinstance(op, str) and op in self._by_name else None
        # A rank without rows may have nothing to send.
        kind = _NO_BUFFER if flat is None else flat.size * 256 + ord(flat.dtype.char)
        if self._meet("allreduce", kind) == _NO_BUFFER:
            return super().allreduce(value, op)
        assert flat is not None
        result = np.empty_like(flat)
        self.comm.Allreduce(flat, result, self._by_name[str(op)])
        return _restored(value, result)

    def _meet(self, operation: str, kind: int = _NO_BUFFER) -> int:
        """Wait until all ranks are here, so that the operation cannot wait for a missing rank.

        ``kind`` is type and length of this rank's buffer in one number; returned if all ranks have the same. Raises
        `PeerLost` where a rank was cancelled, and `RanksDisagree` where ranks call different operations.
        """
        self.n_operations += 1
        calls, code = f"{operation} ({self.n_operations})", _OPERATIONS.index(operation)
        mine = np.array([code, -code, kind, -kind, self._is_given_up()], dtype=np.int64)
        largest = np.empty_like(mine)
        self._wait(calls, self.comm.Iallreduce(mine, largest, self._mpi.MAX), mine, largest)
        if largest[4]:
            raise self._given_up(calls)
        if largest[0] != -largest[1]:
            theirs: list[tuple[int, str]] = self.comm.allgather((code, calls))
            other = next(rank for rank, (number, _) in enumerate(theirs) if number != code)
            raise disagreement(self.rank, calls, other, theirs[other][1])
        return int(largest[2]) if largest[2] == -largest[3] else _NO_BUFFER

    def _wait(self, calls: str, request: Any, *buffers: Any) -> None:
        """Wait for all ranks until one is cancelled: MPI alone would wait for a failed rank forever."""
        began = last_look = time.perf_counter()
        while not request.Test():
            now = time.perf_counter()
            if now - last_look > _LOOK_SECONDS:
                last_look = now
                if self._is_given_up():
                    _abandoned.append((request, buffers))
                    raise self._given_up(calls)
            if now - began > _SLEEP_AFTER_SECONDS:
                time.sleep(_SLEEP_SECONDS)
            elif now - began > _SPIN_SECONDS:
                os.sched_yield()

    def _given_up(self, calls: str) -> PeerLost:
        lost = PeerLost("The computation was aborted.")
        lost.calls = f"rank {self.rank} calls {calls}"
        return lost

    def _is_given_up(self) -> bool:
        try:
            self._look()
        except PeerLost:
            return True
        return False

    def reduce(self, value: Message, op: Operator = "sum", root: int = 0) -> Message | None:
        """Gather on ``root`` and combine there in the order of the ranks; takes any message."""
        self._meet("reduce")
        gathered = self.comm.gather(value, root)
        return None if gathered is None else combine_all(op, *gathered)

    def broadcast(self, value: Message | None = None, root: int = 0) -> Message:
        """``MPI_Bcast`` of pickled objects."""
        self._meet("broadcast")
        return self.comm.bcast(value, root)

    def gather(self, value: Message, root: int = 0) -> list[Message] | None:
        """``MPI_Gather`` of pickled objects."""
        self._meet("gather")
        return self.comm.gather(value, root)

    def free(self) -> None:
        """Release the communicator, of which MPI has some two thousand; not after a cancelled computation.

        Each rank does so after its last operation; neither MPICH nor Open MPI waits here for the others.
        """
        self.comm.Free()

    def barrier(self) -> None:
        """``MPI_Iallreduce`` of some numbers, with which every operation begins."""
        self._meet("barrier")


def over_mpi(
    ranks: Communicator,
    *,
    nanny: bool = False,
    addresses: Sequence[str] = (),
    job: str = "",
    look: Callable[[], None] | None = None,
) -> MPICommunicator:
    """Return an MPI communicator of connected ranks: tasks on the workers of a dask-mpi cluster, with the same numbers.

    ``mpi://`` addresses of workers contain their MPI ranks, which are gathered otherwise. Ranks of one computation find
    each other by the name of the job. ``look`` is that of `MPICommunicator`, by default that of ``ranks``. Raises
    `MissingMPI` where the workers are not processes of one MPI program. Workers with a nanny are not: they are children
    of MPI processes, and would crash when they start MPI a second time.
    """
    if nanny:
        raise MissingMPI(
            "Workers with a nanny are not part of an MPI program, so they cannot communicate over MPI. Start "
            "the cluster with dask-mpi --worker-class distributed.Worker, or use communicator='workers'."
        )
    mpi = load_mpi()
    world = mpi.COMM_WORLD
    places = _ranks_in(addresses) or ranks.allgather(world.Get_rank())
    if len(set(places)) < ranks.size:
        raise MissingMPI(
            "The workers are not part of the same MPI program, so they cannot communicate over MPI. Start the "
            "cluster with dask-mpi, or use communicator='workers'."
        )
    tag = zlib.crc32(job.encode()) % _LEAST_TAG_BOUND
    return MPICommunicator(world.Create_group(world.group.Incl(places), tag), look or ranks.raise_if_cancelled)


def _ranks_in(addresses: Sequence[str]) -> list[int] | None:
    """Return the MPI ranks in addresses; ``None`` where one has none, or belongs to another program."""
    joined = here()
    if joined is None or not addresses or not all(address.startswith(PREFIX) for address in addresses):
        return None
    found = [parse(address) for address in addresses]
    if any(location.world != joined.name for location in found):
        return None
    return [location.rank for location in found if location.rank is not None]


def _flattened(value: Message) -> Array | None:
    """Return an array, or a tuple of arrays and floats of one type, as one array; ``None`` if that is not possible."""
    if isinstance(value, np.ndarray):
        return None if value.dtype.hasobject else value.ravel()
    if not isinstance(value, tuple) or not value:
        return None
    parts = [np.asarray(part) for part in value if isinstance(part, (np.ndarray, np.floating, float))]
    if len(parts) < len(value) or len({part.dtype for part in parts}) > 1:
        return None
    return np.concatenate([part.ravel() for part in parts])


def _restored(value: Message, flat: Array) -> Message:
    if isinstance(value, np.ndarray):
        return flat.reshape(value.shape)
    parts, start = [], 0
    for part in value:
        array = np.asarray(part)
        here = flat[start : start + array.size].reshape(array.shape)
        parts.append(here if isinstance(part, np.ndarray) else here[()])
        start += array.size
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
