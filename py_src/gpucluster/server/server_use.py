"""Count a computing cluster as use of its Jupyter server, so that the server is not stopped as idle.

JupyterHub's idle culler, to which ``jupyterhub-singleuser`` reports, and ``ServerApp.shutdown_no_activity_timeout`` use
the server's ``last_activity``. It counts requests and kernels, but not clusters, which are separate processes.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..protocol.models import ClusterModel, ClusterState
from ..registry.store import Registry
from ..registry.watching import RegistryWatch

_JOBS = {"SLURM_JOB_ID": "Slurm", "PBS_JOBID": "PBS", "LSB_JOBID": "LSF"}
_CONTAINERS = (".dockerenv", "run/.containerenv")
_HERE = {"localhost", "127.0.0.1", "::1"}


def note_on_lifetime(
    environment: Mapping[str, str] = os.environ, *, root: Path = Path("/"), parent: int | None = None
) -> str | None:
    """Describe what ends clusters together with this server; ``None``: they outlive it, or it is unknown."""
    if "JUPYTERHUB_USER" not in environment:
        return None
    inside = _inside(environment, root, os.getppid() if parent is None else parent)
    if inside is None:
        return None
    return (
        f"This cluster stops with your Jupyter server, even if the hub stops it as idle: the server runs in {inside}."
    )


def _inside(environment: Mapping[str, str], root: Path, parent: int) -> str | None:
    for name, system in _JOBS.items():
        if environment.get(name):
            return f"a job of {system}, which is stopped as a whole"
    hub = urlsplit(environment.get("JUPYTERHUB_API_URL", "")).hostname
    # A hub on this address is in the same container, so the container stays.
    if hub not in _HERE and (
        "KUBERNETES_SERVICE_HOST" in environment or any((root / name).exists() for name in _CONTAINERS)
    ):
        return "a container, which is stopped as a whole"
    if parent == 1 and (unit := _unit(root)):
        return f"the unit {unit} of systemd, which is stopped as a whole"
    return None


def _unit(root: Path) -> str | None:
    try:
        lines = (root / "proc" / "self" / "cgroup").read_text().splitlines()
    except OSError:
        return None
    names = [line.rpartition("/")[2] for line in lines if line.startswith(("0::", "1:name=systemd:"))]
    return next((name for name in names if name.endswith(".service")), None)


LOOK_SECONDS = 5.0
_KEY = "gpucluster"


def computes(model: ClusterModel) -> bool:
    return model.state in {ClusterState.RUNNING, ClusterState.SCALING} and model.idle.quiet_since is None


class UseOfServer:
    """Reports use to the server while a cluster computes, for a limited time after other use.

    * `application`: Jupyter's, which counts use.
    * `hours`: how long clusters count as use after the last other use; 0: never.
    * `watched`: returns whether open gauges count as use now.
    """

    def __init__(
        self, registry: Registry, application: Any, *, hours: float, watched: Callable[[], bool], log: logging.Logger
    ) -> None:
        self._registry = registry
        self._application = application
        self._most = timedelta(hours=hours)
        self._watched = watched
        self._log = log
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start to watch; needs a running event loop."""
        if self._most:
            self._task = asyncio.create_task(self._look_on())

    async def close(self) -> None:
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
                    self._log.warning(
                        "Cannot determine whether clusters compute, so this does not count as use: %s", error
                    )
                watch, failed = None, True
            await asyncio.sleep(LOOK_SECONDS)

    def note(self, models: Iterable[ClusterModel]) -> None:
        """Count this moment as use if one of the clusters computes within the limit."""
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
        """Return the time of the last other use: a request, a kernel, a terminal, the start."""
        ours = self._times.pop(_KEY, None)
        try:
            used: datetime = self._application.last_activity()
        finally:
            if ours is not None:
                self._times[_KEY] = ours
        return used
