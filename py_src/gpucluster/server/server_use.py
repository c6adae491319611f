"""A cluster that computes counts as use of its Jupyter server, so that nobody ends a server that works.

Culls go by ``last_activity`` of the server: JupyterHub's idle culler, to which ``jupyterhub-singleuser`` reports it,
and ``ServerApp.shutdown_no_activity_timeout``. Requests and kernels count there; clusters are processes of their own.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from ..protocol.models import ClusterModel, ClusterState
from ..registry.store import Registry
from ..registry.watching import RegistryWatch

LOOK_SECONDS = 5.0
_KEY = "gpucluster"


def computes(model: ClusterModel) -> bool:
    """Return whether tasks run on a cluster now."""
    return model.state in {ClusterState.RUNNING, ClusterState.SCALING} and model.idle.quiet_since is None


class UseOfServer:
    """Tells the server that it is used while a cluster computes, for a time after a person has used it.

    Parameters
    ----------
    registry : Registry
        Of the clusters.
    application : tornado.web.Application
        Jupyter's, which counts.
    hours : float
        So long after anything else has counted as use, clusters do; 0: never.
    watched : callable
        Whether somebody looks at gauges, where that counts, too.
    log : logging.Logger
        Where failures go.
    """

    def __init__(
        self,
        registry: Registry,
        application: Any,
        *,
        hours: float,
        watched: Callable[[], bool],
        log: logging.Logger,
    ) -> None:
        self._registry = registry
        self._application = application
        self._most = timedelta(hours=hours)
        self._watched = watched
        self._log = log
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look; needs a running event loop."""
        if self._most:
            self._task = asyncio.create_task(self._look_on())

    async def close(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _look_on(self) -> None:
        watch: RegistryWatch | None = None
        failed = False
        while True:
            try:
                if watch is None:
                    watch = RegistryWatch(self._registry)
                    watch.start()
                else:
                    watch.look()
                self.note(watch.known.values())
                failed = False
            except Exception as error:
                if not failed:
                    self._log.warning("Whether clusters compute cannot be seen, so it does not count as use: %s", error)
                watch, failed = None, True
            await asyncio.sleep(LOOK_SECONDS)

    def note(self, models: Iterable[ClusterModel]) -> None:
        """Count this moment as use if one of the clusters computes and the limit is not over.

        Parameters
        ----------
        models : iterable of ClusterModel
            All clusters.
        """
        if not (self._watched() or any(computes(model) for model in models)):
            return
        now = datetime.now(UTC)
        if now - self._used_otherwise() < self._most:
            self._times[_KEY] = now

    @property
    def _times(self) -> dict[str, datetime]:
        times: dict[str, datetime] = self._application.settings["last_activity_times"]
        return times

    def _used_otherwise(self) -> datetime:
        """Return when anything else counted as use for the last time: a request, a kernel, a terminal, the start."""
        ours = self._times.pop(_KEY, None)
        try:
            used: datetime = self._application.last_activity()
        finally:
            if ours is not None:
                self._times[_KEY] = ours
        return used
