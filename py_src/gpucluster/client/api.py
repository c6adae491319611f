"""``gpucluster.create``, ``connect``, ``replay`` and ``list``."""

from __future__ import annotations

import time
from builtins import list as List
from collections.abc import Coroutine, Generator
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from ..protocol.errors import ClusterNotFound, InvalidRequest, StartTimedOut
from ..protocol.models import ClusterModel
from ..recordings.places import find_recording
from ..recordings.reading import read_recording
from ..recordings.timeline import playing_speed
from .background import run
from .cluster import Cluster
from .control import STOP_LATE_SECONDS, AsyncControl
from .presentation import presentation


def create(
    backend: Literal["auto", "cuda", "local"] = "auto",
    *,
    wait: bool = True,
    timeout: float = 120,
    asynchronous: bool = False,
    **options: Any,
) -> Any:
    """Create a cluster that lives on its own: it outlasts this kernel.

    Parameters
    ----------
    backend : {"auto", "cuda", "local"}
        GPU workers, CPU workers, or GPU workers where a usable GPU is.
    wait : bool
        Return when it is running; else at once.
    timeout : float
        Seconds to wait. When they are over, the cluster is stopped.
    asynchronous : bool
        Return an awaitable, and a handle whose verbs are awaitables.
    **options
        Fields of the backend's spec: ``name``, ``n_workers``, ``threads_per_worker``, ``memory_limit``,
        ``idle_timeout_seconds``, and for GPUs ``devices``, ``rmm_pool_size``, …

    Returns
    -------
    Cluster

    Raises
    ------
    InvalidRequest, NameTaken
        Nothing was started.
    StartFailed, StartTimedOut
        Nothing was left running.

    Examples
    --------
    >>> cluster = gpucluster.create("local", n_workers=2)  # doctest: +SKIP
    >>> client = cluster.get_client()  # doctest: +SKIP
    """
    work = _create({"backend": backend, **options}, wait=wait, timeout=timeout, asynchronous=asynchronous)
    return _Creation(work) if asynchronous else run(work)


class _Creation:
    """A cluster being created: ``await`` it, or enter it with ``async with``, as with Dask's own clusters."""

    def __init__(self, work: Coroutine[Any, Any, Cluster]) -> None:
        self._work = work
        self._cluster: Cluster | None = None

    def __await__(self) -> Generator[Any, Any, Cluster]:
        return self._work.__await__()

    async def __aenter__(self) -> Cluster:
        self._cluster = await self._work
        return self._cluster

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._cluster is not None:
            await self._cluster.__aexit__(kind, error, trace)


async def _create(options: dict[str, Any], *, wait: bool, timeout: float, asynchronous: bool) -> Cluster:
    control = AsyncControl()
    deadline = time.monotonic() + timeout
    model = await control.create(options, timeout=timeout)
    if wait:
        try:
            model = await control.wait(model.id, timeout=max(0.0, deadline - time.monotonic()))
        except StartTimedOut:
            last = await control.stop(model.id, timeout=STOP_LATE_SECONDS)
            why = f"{last.reason} " if last.reason else ""
            raise StartTimedOut(
                f"The cluster '{model.name}' was not running after {timeout:.0f} seconds and was stopped again. {why}"
                f"Its log says why: gpucluster logs {last.id}. Or allow more time: timeout=…"
            ) from None
        except BaseException:
            # Also Ctrl-C: a cluster that nobody holds a handle on must not be left half-started.
            await control.stop(model.id, timeout=STOP_LATE_SECONDS)
            raise
    return Cluster(model, control, asynchronous=asynchronous, owned=True)


def connect(name: str | None = None, *, asynchronous: bool = False) -> Cluster:
    """Return a handle on a living cluster, whoever created it.

    Parameters
    ----------
    name : str, optional
        Name or id; may be left out when there is only one living cluster.
    asynchronous : bool
        Whether the verbs of the handle return awaitables.

    Raises
    ------
    ClusterNotFound
        When there is none, or it has ended.
    InvalidRequest
        When the name was left out and there are several.
    """
    control = AsyncControl()
    living = [model for model in control.registry.list() if not model.state.ended]
    if name is not None:
        model = control.registry.find(name)
        if model.state.ended:
            why = f" {model.reason}" if model.reason else ""
            raise ClusterNotFound(f"The cluster '{model.name}' has {model.state.value}.{why}")
    elif not living:
        raise ClusterNotFound("There is no living cluster. Create one: gpucluster.create().")
    elif len(living) > 1:
        names = ", ".join(model.name for model in living)
        raise InvalidRequest(f"There are several living clusters ({names}); name one.")
    else:
        model = living[0]
    return Cluster(model, control, asynchronous=asynchronous)


def replay(file: str | Path, *, speed: float = 1) -> Any:
    """Return the gauges of a recording for a notebook, with play, pause and a slider. Elsewhere, their picture.

    Parameters
    ----------
    file : str or Path
        A file, or the name of a recording that comes with gpucluster, such as ``kmeans-cpu``.
    speed : float
        How many times as fast as it was, 0.25 to 64.

    Raises
    ------
    RecordingNotFound
        When there is none of that name, with those that come with gpucluster.
    RecordingUnreadable
        When it cannot be played.
    InvalidRequest
        When the speed is no such number.
    """
    factor = playing_speed(speed)
    return presentation().replay(read_recording(find_recording(file)), factor)


def list() -> List[ClusterModel]:
    """Return all clusters of this user, living ones first; ended ones stay for a day unless removed."""
    return AsyncControl().registry.list()
