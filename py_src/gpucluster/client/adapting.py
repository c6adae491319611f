"""What ``cluster.adapt`` returns: adaptive scaling, while it is on."""

from __future__ import annotations

from collections.abc import Coroutine
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..protocol.models import ClusterModel
from .sync_methods import Synchronous, synchronous

if TYPE_CHECKING:
    from .handle import ClusterHandle

Log = list[tuple[float, dict[str, Any]]]
"""Times and decisions: ``{"status": "up", "n": 3}`` or ``{"status": "down", "workers": [1]}``."""


class _Following:
    """Base of ``Adaptive`` and ``AsyncAdaptive``.

    The cluster's own process adapts the number of workers, so you need not keep this object.
    """

    def __init__(self, cluster: ClusterHandle, model: ClusterModel) -> None:
        assert model.wanted.adapt is not None
        self.cluster = cluster
        self.bounds = model.wanted.adapt

    @property
    def minimum(self) -> int:
        """Fewest workers."""
        return self.bounds.minimum

    @property
    def maximum(self) -> int:
        """Most workers."""
        return self.bounds.maximum

    @property
    def interval(self) -> float | None:
        """Seconds between two checks of the load; ``None``: Dask's own setting."""
        return self.bounds.interval_seconds

    @property
    def wait_count(self) -> int | None:
        """How many checks in a row must find a worker unneeded; ``None``: Dask's own setting."""
        return self.bounds.wait_count

    @property
    def target_duration(self) -> float | None:
        """Seconds that the waiting tasks should take; ``None``: Dask's own setting."""
        return self.bounds.target_duration_seconds

    @property
    def state(self) -> str:
        """``running``, or ``stopped`` after another request to the cluster."""
        return "running" if self.cluster.model.wanted.adapt == self.bounds else "stopped"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} '{self.cluster.name}': {self.minimum} to {self.maximum} workers, {self.state}>"


class AsyncAdaptive(_Following):
    """Adaptive scaling. Made by ``AsyncCluster.adapt``."""

    @property
    def log(self) -> Coroutine[Any, Any, Log]:
        """The decisions since, oldest first; an awaitable."""
        return self._decided()

    async def _decided(self) -> Log:
        decisions = await self.cluster.control.decisions(self.cluster.id)
        return [
            (
                datetime.fromisoformat(decision.at).timestamp(),
                {"status": "up", "n": decision.n_workers}
                if decision.status == "up"
                else {"status": "down", "workers": decision.workers},
            )
            for decision in decisions
        ]

    async def stop(self) -> None:
        """End adaptive scaling; the present workers stay. Stopping twice is harmless."""
        if self.state == "running":
            model = self.cluster.model
            await self.cluster.control.scale(model.id, model.n_workers + model.n_pending, wait=False)


class Adaptive(Synchronous[AsyncAdaptive], _Following):
    """Adaptive scaling. Made by ``Cluster.adapt``."""

    def __init__(self, cluster: ClusterHandle, model: ClusterModel) -> None:
        Synchronous.__init__(self, AsyncAdaptive(cluster, model))
        _Following.__init__(self, cluster, model)

    @property
    def log(self) -> Log:
        """The decisions since, oldest first."""
        return self._read()

    _read = synchronous(AsyncAdaptive._decided)
    stop = synchronous(AsyncAdaptive.stop)
