"""Dask collections beyond what is documented."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import chain
from traceback import walk_tb
from types import FrameType
from typing import Any


def meta(collection: Any) -> Any:
    """Return an empty object of the type of a collection's blocks: ``_meta`` of arrays and frames (2021.1), or None."""
    return getattr(collection, "_meta", None)


def with_chunks(array: Any, chunks: tuple[tuple[Any, ...], ...]) -> Any:
    """Return an array with these chunks, not unknown ones: ``Array._chunks``; a ``copy()`` has its own (2021.1)."""
    known = array.copy()
    known._chunks = chunks
    return known


def name(frame: Any) -> str:
    """Return the prefix of the keys of a collection's blocks: ``_name`` of arrays and frames (2021.1)."""
    return str(frame._name)


def kind(key: Any) -> str:
    """Return what a task is called, by its key, such as ``sum`` of ``sum-1a2b``: ``dask.utils.key_split`` (2021.1)."""
    from dask.utils import key_split

    return str(key_split(key))


def keys(collection: Any) -> list[Any]:
    """Return the keys of a collection's blocks, flat: ``__dask_keys__`` and ``dask.core.flatten`` (2021.1)."""
    from dask.core import flatten

    return list(flatten(collection.__dask_keys__()))


def delayed_blocks(array: Any) -> list[Any]:
    """Return an array's blocks as delayed objects, not optimized: ``to_delayed(optimize_graph=False)`` (2021.1)."""
    return list(array.to_delayed(optimize_graph=False).ravel())


def are_futures(array: Any) -> bool:
    """Whether an array consists only of futures, one for each block.

    Relies on ``__dask_graph__`` of a persisted array holding the future of each key (2021.1).
    """
    from math import prod

    from distributed import Future

    graph = array.__dask_graph__()
    return len(graph) == prod(array.numblocks) and all(isinstance(graph.get(key), Future) for key in keys(array))


def futures_in(collections: Iterable[Any]) -> list[Any]:
    """Return the futures that collections, which are not optimized, are computed from.

    Like ``futures_of``, but visits shared layers once, and skips layers that are not materialized, which hold none.
    Relies on ``dask.base.unpack_collections``, and on the layers of graphs (2021.1).
    """
    from dask.base import unpack_collections
    from distributed import futures_of

    layers: dict[int, Any] = {}
    for collection in unpack_collections(*collections)[0]:
        graph = collection.__dask_graph__()
        for layer in getattr(graph, "layers", {"": graph}).values():
            layers[id(layer)] = layer
    written = [layer for layer in layers.values() if getattr(layer, "is_materialized", lambda: True)()]
    return list(futures_of([dict(layer) for layer in written]))


def needed_by(graph: Any) -> set[Any]:
    """Return the keys of the futures that a graph, which is not optimized, needs, perhaps with keys of its own tasks.

    Skips layers that are not materialized. Relies on ``dask._expr.Expr.operands``, on the layers of graphs, and
    on ``dask._task_spec.GraphNode.dependencies`` (2025.4).
    """
    from dask._expr import Expr
    from dask._task_spec import GraphNode
    from dask.highlevelgraph import HighLevelGraph, Layer
    from distributed import Future

    needed: set[Any] = set()
    parts = [graph]
    seen: set[int] = set()
    while parts:
        part = parts.pop()
        if isinstance(part, Future):
            needed.add(part.key)
        elif isinstance(part, GraphNode):
            needed.update(part.dependencies)
        elif isinstance(part, Expr | Mapping | list | tuple | set) and id(part) not in seen:
            seen.add(id(part))
            if isinstance(part, Expr):
                parts += part.operands
            elif isinstance(part, HighLevelGraph):
                parts += part.layers.values()
            elif isinstance(part, Mapping):
                if not isinstance(part, Layer) or part.is_materialized():
                    parts += part.values()
            else:
                parts += part
    return needed


def variables_of(namespace: Mapping[str, Any], key: Any = None, *, group: str | None = None) -> list[str]:
    """Return the variables that hold the result of a task, at most three; those that only need it if there are none.

    `group`: tasks of this group, on clusters that run, instead of one with this key. Relies on ``Future.key`` and on
    ``distributed.utils.key_split_group`` naming a task's group (2021.1), and on ``Client.futures`` and
    ``Client._instances`` (2025.4).
    """
    from distributed import Client
    from distributed.utils import key_split_group

    meant = {key}
    if group is not None:
        running = [client for client in list(Client._instances) if client.status == "running"]
        meant = {one for client in running for one in list(client.futures) if key_split_group(one) == group}

    holding: dict[bool, list[str]] = {True: [], False: []}
    for variable, value in list(namespace.items()):
        with suppress(Exception):  # Collections of other libraries.
            needed, are_all = ((), False) if variable.startswith("_") else _futures_behind(value)
            if not meant.isdisjoint(needed):
                holding[are_all].append(variable)
    return (holding[True] or holding[False])[:3]


def _futures_behind(value: Any) -> tuple[Collection[Any], bool]:
    """Return the keys of the futures in a future, list or collection, and whether it consists only of these.

    Relies on ``expr`` of frames being a ``dask._expr.Expr``, which is a ``FromGraph`` if persisted, and on other
    persisted collections having the keys of their futures (2025.4).
    """
    from dask._expr import Expr
    from distributed import Future

    if isinstance(value, Future):
        return {value.key}, True
    if type(value) in {list, tuple, set}:
        is_first = isinstance(next(iter(value), None), Future)
        return (needed_by(value) if is_first else ()), True
    if not hasattr(type(value), "__dask_graph__"):
        return (), False
    expression = getattr(value, "expr", None)
    if isinstance(expression, Expr) and not hasattr(value, "__dask_layers__"):
        # Its graph would be made first.
        return needed_by(expression), type(expression).__name__ == "FromGraph"
    needed = needed_by(value.__dask_graph__())
    return needed, needed.issuperset(keys(value))


def bind_futures(futures: Iterable[Any], client: Any) -> None:
    """Keep results of unpickled futures, whose ``Future.client`` is None, alive: ``Future.bind_client`` (2024.11)."""
    for future in futures:
        if future.client is None:
            future.bind_client(client)


_HOLD_FUTURES = {"asyncio", "cuml", "dask", "distributed", "raft_dask", "tornado"}


@contextmanager
def leaving_no_futures() -> Iterator[None]:
    """Remove from an error of the ``with`` block the futures that distributed had made until then.

    A stored traceback, as in IPython, holds the local variables of all frames. The scheduler would keep the tasks, and
    the same call would wait for futures whose tasks were never sent. Frames of other packages keep their variables, for
    debuggers. Relies on futures being in frames of distributed, of its callers, and of the event loop that it calls
    (2025.4).
    """
    try:
        yield
    except BaseException as error:
        for frame in chain.from_iterable(frames_of(error)):
            if str(frame.f_globals.get("__name__")).partition(".")[0] in _HOLD_FUTURES:
                with suppress(RuntimeError):  # The frame is still executing.
                    frame.clear()
        raise


def frames_of(error: BaseException | None) -> Iterator[list[FrameType]]:
    """Yield the frames of an error's traceback, then those of its ``__context__``: Ctrl-C may be pressed twice."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield [frame for frame, _ in walk_tb(error.__traceback__)]
        error = error.__context__
