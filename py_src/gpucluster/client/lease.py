"""``gpucluster.lease``: workers for a block, a cell or a command, released however it ends."""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from ..protocol.errors import ClusterNotFound, GPUClusterError, InvalidState, refused_field
from ..protocol.models import ClusterModel
from ..protocol.plain_text import counted
from ..protocol.spec import SpecBase
from ..registry.holders import Hold, Scope
from .api import START_SECONDS, Timeout, asked_for
from .background import run, run_with_progress
from .cluster import AsyncCluster, Cluster
from .control import LEASE_VARIABLE, AsyncControl
from .dask_keywords import duration, whole
from .display.card import LiveText
from .display.presentation import shell_of_notebook
from .stopping import is_over
from .waiting import OnProgress, running_or_stopped

if TYPE_CHECKING:
    from .notebook_client import Client

CLIENT_SECONDS = 2  # Timeout for closing the client at the end of its lease.
_within: ContextVar[LeaseOfWorkers | None] = ContextVar("gpucluster_within_lease", default=None)


@overload
def lease(
    n_workers: int = 1, backend: str = "auto", *, timeout: Timeout = None, asynchronous: Literal[False] = False,
    **options: Any,
) -> Lease: ...  # fmt: skip
@overload
def lease(
    n_workers: int = 1, backend: str = "auto", *, timeout: Timeout = None, asynchronous: Literal[True], **options: Any
) -> AsyncLease: ...


def lease(
    n_workers: int = 1, backend: str = "auto", *, timeout: Timeout = None, asynchronous: bool = False, **options: Any
) -> Lease | AsyncLease:
    """Take workers for a block, and release them at its end: ``with gpucluster.lease() as client: …``.

    Where no GPU is free, the block waits in the queue and shows its position; Ctrl-C leaves the queue. What the workers
    hold when the block ends is lost: get results before, with ``compute()`` or ``result()``. If this process ends, for
    whatever reason, its workers end within seconds.

    Parameters
    ----------
    n_workers : int
        Number of workers, each with a GPU where there are GPUs.
    backend : str
        Kind of cluster, as for ``create``; ``auto``: GPU workers if there is a usable GPU, otherwise CPU workers.
    timeout : float, str or timedelta
        Startup timeout in seconds, or a duration such as ``"2 min"``; default: 120. Time in the queue does not count;
        ``wait_in_line=False`` fails at once instead.
    asynchronous : bool
        For ``async with``; the client's methods are then coroutines.
    **options
        As for ``create``.

    Returns
    -------
    Lease or AsyncLease
        Takes workers when it is entered. Its ``cluster`` is the cluster.

    Raises
    ------
    InvalidRequest
        An option is invalid. The block raises what ``create`` raises, and ``InvalidState`` within another lease.

    Examples
    --------
    >>> with gpucluster.lease() as client:  # doctest: +SKIP
    ...     print(client.submit(sum, [1, 41]).result())
    """
    count = whole(n_workers)
    if count is None or (count == 0 and count is not False):
        raise refused_field("n_workers", "a lease has at least 1 worker")
    spec = asked_for(backend, {"n_workers": count, **options}, stacklevel=3)
    seconds = START_SECONDS if timeout is None else duration("timeout", timeout)
    return (AsyncLease if asynchronous else Lease)(spec, timeout=seconds)


def leased_line(model: ClusterModel) -> str:
    """Describe what was leased and, where the kind was left open, why it has no GPU."""
    kind = f"{model.backend_title} worker".strip()
    why = f" {model.backend_reason}" if model.backend_reason and not model.has_gpus else ""
    line = f"'{model.name}' has {counted(model.n_workers, kind)}"
    return f"{line} for this {model.lease.scope if model.lease is not None else 'block'}.{why}"


@dataclass(eq=False, repr=False)
class LeaseOfWorkers:
    """Base of ``Lease`` and ``AsyncLease``."""

    spec: SpecBase | dict[str, Any]
    scope: Scope = "block"
    timeout: float = START_SECONDS
    control: AsyncControl = field(default_factory=AsyncControl)

    def __post_init__(self) -> None:
        self._hold: Hold | None = None
        self._model: ClusterModel | None = None
        self._client: Client | None = None
        self._current = ExitStack()

    @property
    def holds(self) -> bool:
        return self._hold is not None and self._hold.holds

    @property
    def client(self) -> Client:
        """The client that is connected to the workers. Raises `InvalidState`: not entered yet."""
        if self._client is None:
            raise InvalidState("This lease has no workers: enter it, as in 'with gpucluster.lease() as client: …'.")
        return self._client

    def __repr__(self) -> str:
        if self._model is None:
            return f"<{type(self).__name__}: enter it, as in 'with gpucluster.lease() as client: …'>"
        return f"<{type(self).__name__} '{self._model.name}': {'taken' if self.holds else 'released'}>"

    def _enter(self) -> None:
        """Refuse a lease inside another one: two programs that do that could wait for each other forever."""
        outer = _within.get()
        held = outer._model if outer is not None and outer.holds else None
        name = held.name if held is not None else self._leased_for_command()
        if name is not None:
            raise InvalidState(
                f"Leases cannot be nested: this is inside the lease '{name}', and two leases could wait for each other "
                "forever. Use the client of the outer one, or request more workers there: n_workers=2."
            )
        _within.set(self)

    def _leased_for_command(self) -> str | None:
        """Return the name of the lease that this command runs in, if that still has its workers."""
        if (id := os.environ.get(LEASE_VARIABLE)) is None:
            return None
        try:
            model = self.control.registry.find(id)
        except ClusterNotFound:
            return None
        return None if is_over(model) else model.name

    async def _take(self, progress: OnProgress) -> ClusterModel:
        deadline = time.monotonic() + self.timeout
        model, hold = await self.control.lease(self.spec, self.scope, timeout=self.timeout)
        try:
            model = await running_or_stopped(
                self.control, model, timeout=self.timeout, deadline=deadline, progress=progress
            )
        except BaseException:
            hold.release()
            raise
        self._model, self._hold = model, hold
        return model

    def _let_go(self) -> None:
        if self._hold is not None:
            self._hold.release()


class Lease(LeaseOfWorkers):
    """Workers for a ``with`` block. Made by ``gpucluster.lease``."""

    @property
    def cluster(self) -> Cluster:
        """The cluster. Raises `InvalidState`: it was not taken yet."""
        return cast(Cluster, self.client.cluster)

    def __enter__(self) -> Client:
        with LiveText(notebook=shell_of_notebook() is not None) as live:
            client = self.begin(live)
        print_if_no_gpu(self.spec, self.cluster.model)
        self._current.enter_context(client.as_current())  # Even inside another client's block.
        return client

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        try:
            self._current.close()
            self.end()
        except GPUClusterError as trouble:
            _note_or_raise(error, trouble)

    def begin(self, progress: OnProgress | None = None) -> Client:
        """Take the workers and connect to them; see ``take``."""
        model = self.take(progress)
        try:
            self._client = Cluster(model, self.control).get_client()
        except BaseException:
            self._give_back()
            raise
        return self._client

    def take(self, progress: OnProgress | None = None) -> ClusterModel:
        """Take the workers.

        `progress`: called in this thread with new models. Raises `InvalidRequest`, `NameTaken`, `NotNow`,
        `InvalidState` (nothing was started) or `StartFailed`, `StartTimedOut` (nothing was left running).
        """
        self._enter()
        try:
            return run_with_progress(self._take, progress)
        except BaseException:
            self._give_back()
            raise

    def end(self) -> None:
        """Release the workers; returns when nothing of them runs any more. Calling it twice is harmless.

        Raises `SupervisorUnreachable`: they could not be stopped from here; the cluster's own process does it.
        """
        try:
            if self._client is not None and self._client.status != "closed":
                self._client.close(timeout=CLIENT_SECONDS)
        finally:
            self._give_back()

    def _give_back(self) -> None:
        # First: the cluster's own process sees this, even if the rest fails or is interrupted.
        self._let_go()
        if self._client is not None:
            self.cluster.stop()
        elif self._model is not None:
            run(self.control.stop(self._model.id))


class AsyncLease(LeaseOfWorkers):
    """Workers for an ``async with`` block. Made by ``gpucluster.lease(asynchronous=True)``."""

    @property
    def cluster(self) -> AsyncCluster:
        """The cluster. Raises `InvalidState`: it was not taken yet."""
        return cast(AsyncCluster, self.client.cluster)

    async def __aenter__(self) -> Client:
        self._enter()
        try:
            with LiveText(notebook=shell_of_notebook() is not None) as live:
                model = await self._take(live)
            self._client = await AsyncCluster(model, self.control).get_client()
        except BaseException:
            await self._give_back()
            raise
        print_if_no_gpu(self.spec, model)
        self._current.enter_context(self._client.as_current())
        return self._client

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        try:
            self._current.close()
            try:
                await self.client.close(timeout=CLIENT_SECONDS)
            finally:
                await self._give_back()
        except GPUClusterError as trouble:
            _note_or_raise(error, trouble)

    async def _give_back(self) -> None:
        self._let_go()
        if self._model is not None:
            await AsyncCluster(self._model, self.control).stop()


def print_if_no_gpu(spec: SpecBase | dict[str, Any], model: ClusterModel) -> None:
    """Print on standard error that there is no GPU, where the kind was left open."""
    backend = spec.get("backend") if isinstance(spec, dict) else spec.backend
    if backend == "auto" and not model.has_gpus:
        sys.stderr.write(leased_line(model) + "\n")


def _note_or_raise(error: BaseException | None, trouble: GPUClusterError) -> None:
    """Raise a fault of the release or, if the block has its own error, add it there as a note."""
    if error is None:
        raise trouble
    error.add_note(
        f"Its workers could not be released immediately; the cluster's process will release them. {trouble.message}"
    )
