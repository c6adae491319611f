"""The ranks of an MPI program: under ``mpiexec``, or the workers of a cluster that dask-mpi has started."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import MissingMPI
from .communicator import Communicator
from .operators import Message, Operator, combine_all


def load_mpi() -> Any:
    """Return the module ``mpi4py.MPI``; importing it starts MPI in this process.

    Raises
    ------
    MissingMPI
        mpi4py or an MPI library is not installed.
    """
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise MissingMPI(
            f"MPI cannot be used here ({error}). Install it with: pip install 'gpucluster[mpi]'"
        ) from error
    return MPI


class MPICommunicator(Communicator):
    """MPI's own collective operations.

    Arrays of NumPy travel as buffers, tuples of arrays of one type as one buffer, everything else pickled.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm, optional
        Those who take part; all processes of the program (``MPI.COMM_WORLD``) when not given.

    Raises
    ------
    MissingMPI
        mpi4py or an MPI library is not installed.
    """

    def __init__(self, comm: Any = None) -> None:
        self._mpi = load_mpi()
        self.comm = self._mpi.COMM_WORLD if comm is None else comm
        self.rank = self.comm.Get_rank()
        self.size = self.comm.Get_size()
        self._by_name = {"sum": self._mpi.SUM, "min": self._mpi.MIN, "max": self._mpi.MAX}

    def allreduce(self, value: Message, op: Operator = "sum") -> Message:
        """``MPI_Allreduce`` where all ranks have arrays of the same shapes; otherwise a reduction and a broadcast."""
        flat = _flattened(value) if isinstance(op, str) and op in self._by_name else None
        if not self._all_alike(flat):
            return super().allreduce(value, op)
        assert flat is not None
        result = np.empty_like(flat)
        self.comm.Allreduce(flat, result, self._by_name[str(op)])
        return _restored(value, result)

    def _all_alike(self, flat: Array | None) -> bool:
        """Whether all ranks have buffers of one type and length: a rank without rows may have nothing."""
        mine = -1 if flat is None else flat.size * 256 + ord(flat.dtype.char)
        largest = np.empty(2, dtype=np.int64)
        self.comm.Allreduce(np.array([mine, -mine], dtype=np.int64), largest, self._mpi.MAX)
        return bool(largest[0] == -largest[1] != -1)

    def reduce(self, value: Message, op: Operator = "sum", root: int = 0) -> Message | None:
        """Gather on ``root`` and combine there in the order of the ranks; any message will do."""
        gathered = self.comm.gather(value, root)
        return None if gathered is None else combine_all(op, *gathered)

    def broadcast(self, value: Message | None = None, root: int = 0) -> Message:
        """``MPI_Bcast`` of pickled objects."""
        return self.comm.bcast(value, root)

    def gather(self, value: Message, root: int = 0) -> list[Message] | None:
        """``MPI_Gather`` of pickled objects."""
        gathered: list[Message] | None = self.comm.gather(value, root)
        return gathered

    def barrier(self) -> None:
        """``MPI_Barrier``."""
        self.comm.Barrier()


def over_mpi(ranks: Communicator, *, nanny: bool = False) -> MPICommunicator:
    """Return an MPI communicator of ranks that know each other already: tasks on the workers of a dask-mpi cluster.

    Parameters
    ----------
    ranks : Communicator
        Connects them, each in an MPI process of its own. They keep their numbers.
    nanny : bool
        Whether this worker was started by a nanny. Its process then is a child of an MPI process, which would die of
        starting MPI a second time.

    Raises
    ------
    MissingMPI
        The workers are not processes of one MPI program.
    """
    if nanny:
        raise MissingMPI(
            "Workers with a nanny are not processes of an MPI program, so they cannot talk over MPI. Start the cluster "
            "with dask-mpi --worker-class distributed.Worker, or use communicator='workers'."
        )
    mpi = load_mpi()
    world = mpi.COMM_WORLD
    places = ranks.allgather(world.Get_rank())
    if len(set(places)) < ranks.size:
        raise MissingMPI(
            "The workers are not processes of one MPI program, so they cannot talk over MPI. Start the cluster with "
            "dask-mpi, or use communicator='workers'."
        )
    return MPICommunicator(world.Create_group(world.group.Incl(places)))


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
