"""``gpucluster.create``, ``connect``, ``replay``, ``frame`` and ``list``."""

from __future__ import annotations

import atexit
import os
import sys
import time
import warnings
from builtins import list as List
from collections.abc import Coroutine, Generator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload

from ..protocol.models import ClusterModel
from ..recordings.places import find_recording
from ..recordings.reading import By, playing_speed, read_recording, session_frame
from ..registry.store import Registry
from ..site.completing import with_preset
from ..site.reading import new_troubles
from .background import run
from .cluster import AsyncCluster, Cluster
from .control import AsyncControl
from .dask_keywords import duration, read_keywords, warn_without_effect
from .display.presentation import View, loaded_shell, presentation
from .waiting import running_or_stopped

if TYPE_CHECKING:
    import pandas as pd


Timeout = float | str | timedelta | None  # Seconds, or a duration such as ``"2 min"``; ``None``: the default.
START_SECONDS = 120.0


@overload
def create(
    backend: str = "auto", *, wait: bool = True, timeout: Timeout = None, asynchronous: Literal[False] = False,
    **options: Any,
) -> Cluster: ...  # fmt: skip
@overload
def create(
    backend: str = "auto", *, wait: bool = True, timeout: Timeout = None, asynchronous: Literal[True], **options: Any
) -> StartingCluster: ...
@overload
def create(
    backend: str = "auto", *, wait: bool = True, timeout: Timeout = None, asynchronous: bool, **options: Any
) -> Cluster | StartingCluster: ...


def create(
    backend: str = "auto", *, wait: bool = True, timeout: Timeout = None, asynchronous: bool = False, **options: Any
) -> Cluster | StartingCluster:
    """Create a cluster in separate processes: it outlives this kernel.

    Parameters
    ----------
    backend : str
        Kind of cluster: ``cuda`` for GPU workers, ``local`` for CPU workers, ``auto`` for GPU workers where a usable
        GPU is, or a kind that another package adds.
    wait : bool
        Return when it is running, else at once.
    timeout : float, str or timedelta
        Seconds to wait, or a duration such as ``"2 min"``; default: 120. After that, the cluster is stopped. Time in
        the queue for a GPU does not count; ``wait_in_line=False`` fails at once instead.
    asynchronous : bool
        Return an awaitable, even for ``async with``: an ``AsyncCluster``, whose verbs are coroutines.
    **options
        ``preset="gpu-ml"``: start from a preset, also one of this site (``gpucluster presets`` lists them), which sets
        the kind unless another ``backend`` is named. Fields of the backend's spec: ``name``, ``n_workers``,
        ``threads_per_worker``, ``memory_limit``, ``idle_timeout_seconds``, and for GPUs ``devices``,
        ``rmm_pool_size``, …. Keywords of ``LocalCluster`` and ``LocalCUDACluster`` work, too; a warning names those
        that have no effect here.

    Returns
    -------
    Cluster or StartingCluster

    Raises
    ------
    InvalidRequest, NameTaken, NotNow
        Nothing was started.
    StartFailed, StartTimedOut
        Nothing was left running.

    Examples
    --------
    >>> cluster = gpucluster.create("local", n_workers=2)  # doctest: +SKIP
    >>> client = cluster.get_client()  # doctest: +SKIP
    """
    spec = asked_for(backend, options, stacklevel=3)
    work = _create(spec, wait=wait, timeout=START_SECONDS if timeout is None else duration("timeout", timeout))
    if asynchronous:
        return StartingCluster(work)
    model, control = run(work)
    print_at_exit(control.registry, model)
    return Cluster(model, control, owned=True)


class SiteWarning(UserWarning):
    """The site's file has faults; clusters are created without the faulty settings."""


def asked_for(backend: str, options: dict[str, Any], *, stacklevel: int) -> dict[str, Any]:
    """Return the spec fields of a call, and issue warnings at the caller's line."""
    # A preset sets the kind where it was left at 'auto'.
    named = backend != "auto" or options.get("preset") is None
    spec, without_effect = read_keywords(with_preset({"backend": backend, **options} if named else options))
    warn_without_effect(without_effect, stacklevel=stacklevel)
    for trouble in new_troubles():
        warnings.warn(trouble, SiteWarning, stacklevel=stacklevel)
    return spec


class StartingCluster:
    """A cluster being created: ``await`` it, or enter it with ``async with``, as with Dask's own clusters."""

    def __init__(self, work: Coroutine[Any, Any, tuple[ClusterModel, AsyncControl]]) -> None:
        self._work = work
        self._cluster: AsyncCluster | None = None

    def __await__(self) -> Generator[Any, Any, AsyncCluster]:
        return self._created().__await__()

    async def __aenter__(self) -> AsyncCluster:
        self._cluster = await self._created()
        return self._cluster

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._cluster is not None:
            await self._cluster.__aexit__(kind, error, trace)

    async def _created(self) -> AsyncCluster:
        model, control = await self._work
        print_at_exit(control.registry, model)
        return AsyncCluster(model, control, owned=True)


async def _create(options: dict[str, Any], *, wait: bool, timeout: float) -> tuple[ClusterModel, AsyncControl]:
    control = AsyncControl()
    deadline = time.monotonic() + timeout
    model = await control.create(options, timeout=timeout)
    if wait:
        model = await running_or_stopped(control, model, timeout=timeout, deadline=deadline)
    return model, control


@overload
def connect(name: str | None = None, *, asynchronous: Literal[False] = False) -> Cluster: ...
@overload
def connect(name: str | None = None, *, asynchronous: Literal[True]) -> AsyncCluster: ...
@overload
def connect(name: str | None = None, *, asynchronous: bool) -> Cluster | AsyncCluster: ...


def connect(name: str | None = None, *, asynchronous: bool = False) -> Cluster | AsyncCluster:
    """Return a handle on a running cluster, created here or elsewhere.

    Parameters
    ----------
    name : str, optional
        Name or id; optional when only one cluster is running.
    asynchronous : bool
        Return an ``AsyncCluster``, whose verbs are coroutines.

    Raises
    ------
    ClusterNotFound
        When there is none, or it has ended.
    InvalidRequest
        When the name was left out and there are several.
    """
    control = AsyncControl()
    model = control.find_living(name)
    return AsyncCluster(model, control) if asynchronous else Cluster(model, control)


def replay(file: str | Path, *, speed: float = 1) -> View:
    """Return the gauges of a recording for a notebook, with play, pause and a slider. Elsewhere, their picture.

    Parameters
    ----------
    file : str or Path
        A file, or the name of a recording that comes with gpucluster, such as ``kmeans-cpu``.
    speed : float
        Speed relative to the recording, 0.25 to 64.

    Raises
    ------
    RecordingNotFound
        When there is none of that name, with those that come with gpucluster.
    RecordingUnreadable
        When its file cannot be played.
    InvalidRequest
        When the speed is outside these bounds.
    """
    factor = playing_speed(speed)
    return presentation().replay(read_recording(find_recording(file)), factor)


def frame(file: str | Path, *, by: By = "cluster") -> pd.DataFrame:
    """Return the figures of a recording as a pandas data frame; ``cluster.frame()`` has those of a running cluster.

    Parameters
    ----------
    file : str or Path
        A file, or the name of a recording that comes with gpucluster, such as ``kmeans-cpu``.
    by : {"cluster", "worker", "task"}
        Whether a row is about all workers, one of them, or one kind of tasks.

    Returns
    -------
    pandas.DataFrame
        Indexed by time in UTC, and by worker or prefix. What was not measured is ``NaN``.

    Raises
    ------
    RecordingNotFound, RecordingUnreadable, InvalidRequest
    """
    return session_frame(read_recording(find_recording(file)), by)


def list() -> List[ClusterModel]:
    """Return all clusters of this user, running ones first; ended ones stay for a day unless removed."""
    return AsyncControl().registry.list()


def print_at_exit(registry: Registry, model: ClusterModel) -> None:
    """Let a script print on standard error, when it ends, that the cluster keeps running."""
    has_prompt = hasattr(sys, "ps1") or sys.flags.interactive or loaded_shell() is not None
    if not has_prompt:
        atexit.register(_print_if_running, registry, model.id, os.getpid())


def _print_if_running(registry: Registry, id: str, pid: int) -> None:
    if os.getpid() != pid:  # Only a forked child ends.
        return
    with suppress(Exception):  # It is only a hint, and its entry may be gone.
        model = registry.find(id)
        if model.state.ended or model.wanted.stopped:
            return
        limit = model.idle.timeout_seconds
        end = "" if limit is None else f" until it has been idle for {max(1, round(limit / 60))} min"
        sys.stderr.write(f"The cluster '{model.name}' keeps running{end}. To stop it: gpucluster stop {model.name}\n")
