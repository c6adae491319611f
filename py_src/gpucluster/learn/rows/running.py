"""Run an algorithm where its data are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..communicators.communicator import Communicator
from ..communicators.serial import SerialCommunicator
from ..configuration import configuration
from ..errors import InvalidData
from .block import Block, Rows
from .ranks import Placed, require_own, run_ranks
from .shard import Shard, numbered
from .stream import Stream
from .table import Table, as_table, is_dask
from .threads import threads_here

Result = TypeVar("Result")

RESIDENT_SHARE = 0.5
"""Blocks that take more of a worker's memory are not held all at once; each iteration then is a pass over them."""


def run(
    algorithm: Callable[..., Result], X: Any, y: Any = None, sample_weight: Any = None, *, passes: int | None = None,
    **parameters: Any,
) -> Result:  # fmt: skip
    """Run ``algorithm(rows, **parameters)`` where the data are, and return its result.

    Parameters
    ----------
    algorithm : callable
        Gets `Rows` first. Its result comes to the client: the model, not the data.
    X, y, sample_weight
        Dask collections, or arrays in memory.
    passes : int, optional
        How often it goes through all rows, if that is known to be once or twice. Such an algorithm runs in the client,
        and each pass is one graph. Others run on the workers, which keep the data and talk to each other.
    **parameters
        Of the algorithm; the same on all ranks.

    Raises
    ------
    InvalidData
        X, y or weights cannot be used.
    WorkersLost
        Workers died again and again.
    """
    if not is_dask(X):
        return algorithm(_here(X, y, sample_weight), **parameters)
    return run_table(algorithm, as_table(X, y, sample_weight), parameters, passes=passes)


def run_table(
    algorithm: Callable[..., Result], table: Table, parameters: dict[str, Any], *, passes: int | None = None
) -> Result:
    """Do the same as `run` with a table that was checked already."""
    client = current_client()
    if client is None and passes is None:
        return algorithm(_gathered(table), **parameters)
    if client is None or (passes is not None and passes <= 2):
        if client is not None:
            require_own(client, table)
        return algorithm(Stream(table), **parameters)
    require_own(client, table)
    table = table.persisted()
    placed = Placed(client, table)
    if not placed.fits(RESIDENT_SHARE):
        return algorithm(Stream(table), **parameters)
    [result] = run_ranks(placed, algorithm, parameters, mpi=configuration().communicator == "mpi", first_only=True)
    return result  # type: ignore[no-any-return]


def run_on_ranks(function: Callable[..., Result], X: Any, y: Any = None, **parameters: Any) -> list[Result]:
    """Call ``function(shard, **parameters)`` on all workers at the same time, each with the blocks it has.

    Parameters
    ----------
    function : callable
        Gets a `Shard`: ``shard.blocks`` are this rank's rows, ``shard.communicator`` connects the ranks.
    X, y
        Dask collections, or arrays in memory (then there is one rank, or one per process of the configured
        communicator).

    Returns
    -------
    list
        What each rank returns, in the order of the ranks.

    Raises
    ------
    InvalidData
        X or y cannot be used, or there is no cluster.
    """
    if not is_dask(X):
        shard = _here(X, y, None)
        return shard.communicator.allgather(function(shard, **parameters))
    client = current_client()
    if client is None:
        raise InvalidData("There is no cluster to run on. Connect first: client = gpucluster.connect().get_client()")
    placed = Placed(client, as_table(X, y).persisted())
    return run_ranks(placed, function, parameters, mpi=configuration().communicator == "mpi", first_only=False)


def current_client() -> Any:
    """Return the client that Dask collections are computed with here; ``None`` where that is this process."""
    import dask
    from distributed import default_client

    if dask.config.get("scheduler", None) not in {None, "dask.distributed", "distributed"}:
        return None
    try:
        return default_client()
    except ValueError:
        return None


def local_communicator() -> Communicator:
    """Return what connects this process with others that fit on their own rows."""
    chosen = configuration().communicator
    return chosen if isinstance(chosen, Communicator) else SerialCommunicator()


def local_rows(X: Any, y: Any = None, weights: Any = None) -> Rows:
    """Return arrays in memory as rows."""
    return _here(X, y, weights)


def _gathered(table: Table) -> Shard:
    """Return a table's blocks, computed in this process, as one rank."""
    from dask.base import compute

    [made] = compute(table.delayed_blocks())
    blocks = [
        Block(number, start, *block) for number, (start, block) in enumerate(zip(table.starts(), made, strict=True))
    ]
    return Shard(SerialCommunicator(), blocks, n_threads=threads_here())


def _here(X: Any, y: Any, weights: Any) -> Shard:
    communicator = local_communicator()
    # Ranks beside this one may be on the same computer and want its cores.
    n_threads = threads_here() if communicator.size == 1 else 1
    return Shard(communicator, [numbered(communicator, X, y, weights)], n_threads=n_threads)
