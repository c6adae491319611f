"""Settings of ``dask.config`` that a scheduler reads while it works, and which a client in another process may change.

Where a client and its scheduler share a process, as with ``LocalCluster``, they share these settings. All others are
read when a scheduler or worker starts, or by the client (distributed 2025.4 to 2026.8).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

IN_IDENTITY = "gpucluster-settings"  # Under this name our schedulers say in ``identity()`` what they have set.
OF_GRAPHS = "optimization"  # Read when the scheduler optimizes a graph: whether tasks are fused, and which.
AT_WORK = (
    "distributed.scheduler.bandwidth",
    "distributed.scheduler.default-task-durations",
    "distributed.scheduler.locks.lease-timeout",
)
"""Read for each new worker, kind of task and semaphore. They are those of all clients."""


def settings_here() -> dict[str, Any]:
    """Return what this process has set of that, by name.

    Relies on ``dask.config.global_config``, nested mappings; ``dask.config.get`` takes ten times as long (2025.4).
    """
    return {name: _value(name) for name in (OF_GRAPHS, *AT_WORK)}


def _value(name: str) -> Any:
    import dask

    found: Any = dask.config.global_config
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return None
        found = found[part]
    return found


@cache
def _usual() -> Any:
    """Return what holds where nobody has set anything, for schedulers that do not say what they have."""
    import dask

    return dask.config.merge(*dask.config.defaults, dask.config.collect()).get(OF_GRAPHS)


def with_settings(graph: Any, identity: Mapping[str, Any]) -> Any:
    """Return a graph that a scheduler optimizes as this process would, which it may do anyway.

    Relies on a scheduler calling nothing but ``__dask_graph__`` and ``__dask_annotations__`` of what
    ``Client._graph_to_futures`` gets, for one graph at a time, unless that is a ``dask._expr.LLGExpr``, of which it
    optimizes nothing (2025.4).

    `identity`: what the scheduler says of itself.
    """
    there, here = identity.get(IN_IDENTITY), _value(OF_GRAPHS)
    if here == (_usual() if there is None else there[OF_GRAPHS]):
        return graph
    from dask._expr import LLGExpr

    return graph if isinstance(graph, LLGExpr) else _graph_with_settings()(graph, {OF_GRAPHS: here})


def without_effect(identity: Mapping[str, Any]) -> list[str]:
    """Return the names of those settings of this process that differ, and that a scheduler does not take over."""
    there = identity.get(IN_IDENTITY, {})
    return [name for name in AT_WORK if name in there and there[name] != _value(name)]


@cache
def _graph_with_settings() -> Any:
    """Return a class that travels as code, as all do that are made in a function: schedulers need no gpucluster."""

    class GraphWithSettings:
        def __init__(self, graph: Any, settings: dict[str, Any]) -> None:
            self.graph = graph
            self.settings = settings

        def __dask_graph__(self) -> Any:
            import dask

            with dask.config.set(self.settings):
                return self.graph.__dask_graph__()

        def __dask_annotations__(self) -> Any:
            import dask

            with dask.config.set(self.settings):
                return self.graph.__dask_annotations__()

    return GraphWithSettings
