"""Wait for the effect of requests by reading a cluster's record, without further requests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from ..protocol import errors
from ..protocol.models import ClusterModel, ClusterState
from ..protocol.plain_text import counted
from ..registry.store import Registry
from ..registry.unreadable import of_another_version

if TYPE_CHECKING:
    from .control import AsyncControl

POLL_SECONDS = 0.02
STOP_LATE_SECONDS = 10.0  # For a cluster that has taken too long to start.
IN_LINE = ("line", "turn")
"""Steps in which a cluster waits for a GPU or for its turn to start: they count in no timeout, and a stop ends them."""

OnProgress = Callable[[ClusterModel], None]


def require_our_version(model: ClusterModel) -> None:
    """Refuse a cluster of an incompatible version of the protocol. Raises `ProtocolMismatch`."""
    if of_another_version(model):
        raise errors.ProtocolMismatch(f"The cluster '{model.name}' can only be stopped. {model.notice}")


async def wait_until(
    registry: Registry, id: str, done: Callable[[ClusterModel], bool], *, timeout: float,
    late: Callable[[ClusterModel], errors.GPUClusterError], uncounted: Collection[str] = (),
) -> ClusterModel:  # fmt: skip
    """Read the record of a cluster until `done` is true, and return it.

    `done` raises an error if it can never become true. `late` returns the error to raise after `timeout` seconds.
    `uncounted`: steps during which the timeout does not run.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout
    while not done(model := registry.find(id)):
        id = model.id  # A name may belong to another cluster by now.
        if model.progress is not None and model.progress.step in uncounted:
            deadline = loop.time() + timeout
        if loop.time() > deadline:
            raise late(model)
        await asyncio.sleep(POLL_SECONDS)
    return model


async def wait_until_done(
    registry: Registry, id: str, *, timeout: float, progress: OnProgress | None = None
) -> ClusterModel:
    """Wait until a cluster is running with the wanted workers; see ``AsyncControl.wait`` for parameters and errors."""
    last: ClusterModel | None = None

    def done(model: ClusterModel) -> bool:
        nonlocal last
        if last is None:
            require_our_version(model)
        if progress is not None and model is not last:
            progress(model)
        last = model
        return _is_done(model)

    return await wait_until(
        registry, id, done, timeout=timeout, late=lambda model: _not_done(model, timeout), uncounted=IN_LINE
    )


async def running_or_stopped(
    control: AsyncControl, model: ClusterModel, *, timeout: float, deadline: float, progress: OnProgress | None = None
) -> ClusterModel:
    """Wait until a new cluster runs; if it does not, nothing is left of it. `deadline`: of ``time.monotonic``."""
    try:
        return await control.wait(model.id, timeout=max(0.0, deadline - time.monotonic()), progress=progress)
    except errors.StartTimedOut:
        advice = "See its log: gpucluster logs {id}. Or allow more time: timeout=…"
        raise await stopped_as_late(control, model, timeout, advice) from None
    except BaseException:
        # Also on Ctrl-C: a half-started cluster without a handle must not remain.
        await control.stop(model.id, timeout=STOP_LATE_SECONDS)
        raise


async def stopped_as_late(
    control: AsyncControl, model: ClusterModel, timeout: float, advice: str
) -> errors.StartTimedOut:
    """Stop a cluster that has not started in time, and return the error that says so."""
    last = await control.stop(model.id, timeout=STOP_LATE_SECONDS)
    why = f"{last.reason} " if last.reason else ""
    return errors.StartTimedOut(
        f"The cluster '{model.name}' did not start within {timeout:.0f} seconds and was stopped. {why}"
        f"{advice.format(id=last.id)}"
    )


def _is_done(model: ClusterModel) -> bool:
    if model.state.ended or model.wanted.stopped:
        fallback = f"The cluster '{model.name}' was stopped."
        raise (errors.StartFailed if model.running_at is None else errors.ClusterEnded)(model.reason or fallback)
    return model.state is ClusterState.RUNNING and (
        model.wanted.n_workers in {None, _accepted(model)} or model.notice is not None
    )


def _not_done(model: ClusterModel, timeout: float) -> errors.GPUClusterError:
    return (errors.StartTimedOut if model.running_at is None else errors.OperationTimedOut)(
        f"The cluster '{model.name}' is still {model.state.value} after {timeout:.0f} seconds, with "
        f"{model.n_workers} workers. It continues; see its log, or stop it."
    )


def raise_if_not_scaled(model: ClusterModel, n_workers: int) -> None:
    """Refuse a cluster that settled for another number of workers than requested. Raises `ScaleFailed`."""
    if {_accepted(model), model.wanted.n_workers} != {n_workers}:
        count = counted(model.n_workers, "worker")
        meanwhile = f"Another request changed the cluster '{model.name}' in the meantime; it has {count} now."
        raise errors.ScaleFailed(model.notice or meanwhile)


async def wait_until_restarted(registry: Registry, before: ClusterModel, *, timeout: float) -> ClusterModel:
    """Wait until all workers run in new processes."""
    old = {worker.pid for worker in before.workers}  # A request is accepted before its effect is visible.

    def done(model: ClusterModel) -> bool:
        if not _is_done(model):
            return False
        if model.notice is not None:
            raise errors.OperationFailed(model.notice)
        return not old & {worker.pid for worker in model.workers}

    def late(model: ClusterModel) -> errors.GPUClusterError:
        if not _is_done(model):
            return _not_done(model, timeout)
        return errors.OperationTimedOut(
            f"The workers of '{model.name}' did not come back within {timeout:.0f} seconds. "
            "The cluster keeps running; they may still arrive."
        )

    return await wait_until(registry, before.id, done, timeout=timeout, late=late)


async def wait_until_retired(
    registry: Registry, id: str, worker: str, address: str | None, *, timeout: float
) -> ClusterModel:
    def done(model: ClusterModel) -> bool:
        if address not in {found.address for found in model.workers}:
            return True
        if model.notice is not None:
            raise errors.InvalidState(model.notice)
        return False

    def late(model: ClusterModel) -> errors.GPUClusterError:
        return errors.OperationTimedOut(
            f"The worker {worker} of '{model.name}' is still there after {timeout:.0f} seconds. "
            "The cluster keeps running, and may still release it."
        )

    return await wait_until(registry, id, done, timeout=timeout, late=late)


async def wait_until_connected(registry: Registry, id: str, n_workers: int, *, timeout: float) -> ClusterModel:
    def done(model: ClusterModel) -> bool:
        if model.n_workers >= n_workers:
            return True
        if model.state.ended or model.state is ClusterState.STOPPING:
            raise errors.ClusterEnded(
                f"The cluster '{model.name}' is {model.state.value}. {model.reason or ''}".strip()
            )
        return False

    def late(model: ClusterModel) -> errors.GPUClusterError:
        return errors.OperationTimedOut(
            f"{model.n_workers} of {n_workers} workers of '{model.name}' arrived within {timeout:.0f} seconds. "
            "The cluster keeps running; the others may still arrive."
        )

    return await wait_until(registry, id, done, timeout=timeout, late=late)


def _accepted(model: ClusterModel) -> int:
    """Return how many workers are connected or wait in a queue: submitting them completes a request."""
    return model.n_workers + (model.n_pending if model.pending_reason is not None else 0)
