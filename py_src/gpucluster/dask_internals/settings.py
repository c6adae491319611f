"""Settings of ``dask.config`` that a scheduler reads while it works, and that a client in another process may change.

Where a client and its scheduler share a process, as with ``LocalCluster``, they share these settings. All others are
read when a scheduler or worker starts, or by the client (distributed 2025.4 to 2026.8).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

IN_IDENTITY = "gpucluster-settings"  # Key of the settings in ``identity()`` of our schedulers.
OF_GRAPHS = "optimization"  # Read when the scheduler optimizes a graph: whether tasks are fused, and which.
AT_WORK = (
    "distributed.scheduler.bandwidth",
    "distributed.scheduler.default-task-durations",
    "distributed.scheduler.locks.lease-timeout",
)
"""Read for each new worker, kind of task and semaphore; shared by all clients."""


def settings_here() -> dict[str, Any]:
    """Return the values of these settings in this process, by name.

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
    """Return the default, for schedulers that do not report their settings."""
    import dask

    return dask.config.merge(*dask.config.defaults, dask.config.collect()).get(OF_GRAPHS)


def with_settings(graph: Any, identity: Mapping[str, Any]) -> Any:
    """Return a graph that a scheduler optimizes with the settings of this process.

    Relies on a scheduler calling nothing but ``__dask_graph__`` and ``__dask_annotations__`` of what
    ``Client._graph_to_futures`` gets, for one graph at a time, unless that is a ``dask._expr.LLGExpr``, of which it
    optimizes nothing (2025.4).

    `identity`: the scheduler's ``identity()``.
    """
    there, here = identity.get(IN_IDENTITY), _value(OF_GRAPHS)
    if here == (_usual() if there is None else there[OF_GRAPHS]):
        return graph
    from dask._expr import LLGExpr

    return graph if isinstance(graph, LLGExpr) else _graph_with_settings()(graph, {OF_GRAPHS: here})


def without_effect(identity: Mapping[str, Any]) -> list[str]:
    """Return the names of the settings of this process that differ from the scheduler's and have no effect there."""
    there = identity.get(IN_IDENTITY, {})
    return [name for name in AT_WORK if name in there and there[name] != _value(name)]


@cache
def _graph_with_settings() -> Any:
    """Return a class that is pickled by value, as are all that a function defines: schedulers need no gpucluster."""

    class GraphWithSettings:
        def __init__(self, graph: Any, settings: dict[str, Any]) -> None:
            self.graph = graph
            self.settings = settings

        def __dask_graph__(self) -> Any:
            return self._with_settings("__dask_graph__")

        def __dask_annotations__(self) -> Any:
            return self._with_settings("__dask_annotations__")

        def _with_settings(self, method: str) -> Any:
            import dask

            with dask.config.set(self.settings):
                return getattr(self.graph, method)()

    return GraphWithSettings
