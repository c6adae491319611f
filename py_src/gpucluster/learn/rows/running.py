"""Run an algorithm where its data are, or block by block by Dask's scheduler: one pass over data of any size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cached_property
from typing import Any, TypeVar, cast

from dask.delayed import delayed
from dask.sizeof import sizeof

from ...dask_internals.machine import memory_bytes
from ...dask_internals.scheduler_information import known_workers
from ..arrays import Data, Delayed
from ..communicators.communicator import (
    Communicator,
    Message,
    Operator,
    SerialCommunicator,
    combine_all,
    in_host_memory,
)
from ..errors import InvalidData
from ..settings import configuration
from .block import Block, Partial, Rows
from .in_place import are_short, is_small, run_ranks_in_place, total_in_place
from .placement import block_bytes, fits_into_workers
from .ranks import Placed, run_ranks
from .shard import Shard, available_threads, block_of_rank
from .table import Table, as_table, is_dask
from .waiting import computed, current_client, require_own, waiting

SPLIT_EVERY = 8  # Messages that are merged in one task.


def tree_reduced(merge: Callable[..., Any], messages: Sequence[Any], *arguments: Any) -> Any:
    """Merge delayed messages along a tree; ``merge(*arguments, *messages)`` of neighbours is associative."""
    join = delayed(merge, pure=False)
    level = list(messages)
    while len(level) > 1:
        # Each message as a separate argument: Dask would forget persisted blocks in lists.
        level = [join(*arguments, *level[i : i + SPLIT_EVERY]) for i in range(0, len(level), SPLIT_EVERY)]
    return level[0]


LARGE_ARGUMENTS_BYTES = 10_000  # Larger arguments are sent to the workers once, not within each task.


class Stream(Rows):
    """A Dask collection whose blocks are computed, used and released.

    Each ``total`` is one graph: a task per block, and a tree of tasks that combine. Only the result comes to the
    client. Persisted collections are not computed again, and small ones need no graph (`in_place`).
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    @cached_property
    def _blocks(self) -> list[list[Delayed]]:
        return self._table.delayed_blocks()

    @cached_property
    def _is_small(self) -> bool:
        return is_small(self._table)

    def total(self, partial: Partial, *arguments: Any, op: Operator = "sum") -> Message:
        """Combine along a tree on the workers, or without a graph for small tables that the workers keep."""
        client = current_client()
        require_own(client, self._table.collections)
        if client is not None and self._is_small:
            with waiting(client):
                found = total_in_place(client, self._table, partial, arguments, op)
            if found is not None:
                return found[0]
        messages = self._messages(partial, arguments)
        return computed(tree_reduced(combine_all, messages, op))[0] if messages else None

    def map_blocks(self, partial: Partial, *arguments: Any) -> list[Message]:
        """Bring all messages to the client."""
        require_own(current_client(), self._table.collections)
        return list(computed(*self._messages(partial, arguments)))

    def with_starts(self) -> Rows:
        """Count rows in a pass over the data, if necessary."""
        return self if self._table.n_rows is not None else Stream(self._table.with_known_lengths())

    def broadcast(self, value: Message) -> Message:
        """Return the value, because the algorithm runs in one process."""
        return value

    def _messages(self, partial: Partial, arguments: tuple[Any, ...]) -> list[Delayed]:
        given: Any = arguments
        if sum(map(sizeof, arguments)) > LARGE_ARGUMENTS_BYTES:
            given = delayed(arguments, pure=False, traverse=False)
        apply = delayed(_applied, pure=False, traverse=False)
        return [
            apply(partial, given, number, start, *block)
            for number, (start, block) in enumerate(zip(self._table.starts(), self._blocks, strict=True))
        ]


def _applied(partial: Partial, arguments: tuple[Any, ...], number: int, start: int | None, *block: Any) -> Message:
    return in_host_memory(partial(Block(number, start, *block), *arguments))


Result = TypeVar("Result")

RESIDENT_SHARE = 0.5  # Of a worker's memory; larger tables are read in a pass per iteration.


def run(
    algorithm: Callable[..., Result], X: Data, y: Data | None = None, sample_weight: Data | None = None, *,
    passes: int | None = None, **parameters: Any,
) -> Result:  # fmt: skip
    """Run ``algorithm(rows, **parameters)`` where the data are, and return its result.

    Parameters
    ----------
    algorithm : callable
        Its first argument is a `Rows`. Its result comes to the client: the model, not the data.
    X, y, sample_weight
        Dask collections, or arrays in memory.
    passes : int, optional
        Most passes over all rows, if known; a pass with more than a few operations per number counts as several. With
        one or two, the algorithm runs in the client, and each pass is one graph. Others run on the workers, which keep
        the data and exchange messages: as tasks, or without tasks where the data are on the workers already and the
        computation takes less than half a second.
    **parameters
        Of the algorithm; the same on all ranks.

    Raises
    ------
    InvalidData
        X, y or weights cannot be used.
    WorkersLost
        Workers died repeatedly.
    ClusterStopped
        The cluster stopped during the computation.
    """
    if not is_dask(X):
        return algorithm(local_rows(X, y, sample_weight), **parameters)
    return run_table(algorithm, as_table(X, y, sample_weight), parameters, passes=passes)


def run_table(
    algorithm: Callable[..., Result], table: Table, parameters: dict[str, Any], *, passes: int | None = None
) -> Result:
    """Do the same as `run` with a checked table."""
    client = current_client()
    if client is None:
        held = passes is None and fits_in_this_process(table)
        return algorithm(_gathered(table) if held else Stream(table), **parameters)
    with waiting(client, *table.collections) as scope:
        if passes is not None and passes <= 2:
            return algorithm(Stream(table), **parameters)
        mpi = configuration().communicator == "mpi"
        if passes is not None and are_short(table, passes):
            found = run_ranks_in_place(client, table, algorithm, parameters, passes=passes, mpi=mpi)
            if found is not None:
                return cast("Result", found[0])
        placed = placed_on_workers(client, table, scope)
        if placed is None:
            return algorithm(Stream(table), **parameters)
        [result] = run_ranks(placed, algorithm, parameters, mpi=mpi, first_only=True)
    return result


def run_table_on_ranks(
    function: Callable[..., Result], table: Table, parameters: dict[str, Any], *, everybody: bool = False
) -> list[Result] | None:
    """Call ``function(shard, **parameters)`` on the workers at the same time, and return the result of each rank.

    ``None`` where the table would take too much of their memory. With ``everybody``, workers without blocks take part.
    """
    client = current_client()
    if client is None:
        return [function(_gathered(table), **parameters)] if fits_in_this_process(table) else None
    with waiting(client, *table.collections) as scope:
        placed = placed_on_workers(client, table, scope)
        if placed is None:
            return None
        mpi = configuration().communicator == "mpi"
        return run_ranks(placed, function, parameters, mpi=mpi, first_only=False, everybody=everybody)


def placed_on_workers(client: Any, table: Table, scope: ExitStack) -> Placed | None:
    """Compute a table and keep it on the workers until the scope ends; ``None`` where it takes too much memory."""
    if not table.is_persisted() and not fits_into_workers(table, known_workers(client), RESIDENT_SHARE):
        return None
    placed = Placed(client, table.persisted(scope))
    # Blocks of unknown lengths may be larger than the measured ones.
    return placed if placed.fits(RESIDENT_SHARE) else None


def fits_in_this_process(table: Table) -> bool:
    """Whether a table would take at most `RESIDENT_SHARE` of the memory that this process may use."""
    return sum(block_bytes(table)) <= RESIDENT_SHARE * memory_bytes()


def run_on_ranks(function: Callable[..., Result], X: Data, y: Data | None = None, **parameters: Any) -> list[Result]:
    """Call ``function(shard, **parameters)`` on all workers at the same time, each with its blocks.

    Parameters
    ----------
    function : callable
        Takes a `Shard`: ``shard.blocks`` are this rank's rows, ``shard.communicator`` connects the ranks.
    X, y
        Dask collections, or arrays in memory (then there is one rank, or one per process of the configured
        communicator).

    Returns
    -------
    list
        The results in the order of the ranks.

    Raises
    ------
    InvalidData
        X or y cannot be used, or there is no cluster.
    """
    if not is_dask(X):
        shard = local_rows(X, y)
        return shard.communicator.allgather(function(shard, **parameters))
    client = current_client()
    if client is None:
        raise InvalidData("No cluster to run on. Connect first: client = gpucluster.connect().get_client()")
    table = as_table(X, y)
    with waiting(client, *table.collections) as scope:
        placed = Placed(client, table.persisted(scope))
        return run_ranks(placed, function, parameters, mpi=configuration().communicator == "mpi", first_only=False)


def local_communicator() -> Communicator:
    """Return the communicator of this process and others that fit on their own rows."""
    chosen = configuration().communicator
    return chosen if isinstance(chosen, Communicator) else SerialCommunicator()


def _gathered(table: Table) -> Shard:
    """Return a table's blocks, computed in this process, as one rank."""
    [made] = computed(table.delayed_blocks())
    blocks = [
        Block(number, start, *block) for number, (start, block) in enumerate(zip(table.starts(), made, strict=True))
    ]
    return Shard(SerialCommunicator(), blocks, n_threads=available_threads())


def local_rows(X: Any, y: Any = None, weights: Any = None) -> Shard:
    """Return arrays in memory as the rows of this rank; the only one, unless a communicator is configured."""
    communicator = local_communicator()
    # Other ranks may be on the same computer and want its cores.
    n_threads = available_threads() if communicator.size == 1 else 1
    return Shard(communicator, [block_of_rank(communicator, X, y, weights)], n_threads=n_threads)
