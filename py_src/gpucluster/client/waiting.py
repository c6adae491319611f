"""Waiting for what a cluster was asked for, by its record: nobody is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ..protocol.errors import (
    ClusterEnded,
    InvalidState,
    OperationFailed,
    OperationTimedOut,
    ProtocolMismatch,
    ScaleFailed,
    StartFailed,
    StartTimedOut,
)
from ..protocol.models import ClusterModel, ClusterState
from ..protocol.plain_text import counted
from ..registry.store import Registry
from ..registry.unreadable import of_another_version

POLL_SECONDS = 0.02
IN_LINE = ("line", "turn")
"""Steps in which a cluster waits for a GPU, or for its turn to start: counted in no timeout, and ended by a stop."""

OnProgress = Callable[[ClusterModel], None]


def must_speak_our_version(model: ClusterModel) -> None:
    """Refuse a cluster of another version of the protocol, which cannot be asked. Raises `ProtocolMismatch`."""
    if of_another_version(model):
        raise ProtocolMismatch(f"The cluster '{model.name}' can only be stopped. {model.notice}")


async def wait_until_done(
    registry: Registry, id: str, *, timeout: float, progress: OnProgress | None = None
) -> ClusterModel:
    """Wait until a cluster is running with the wanted workers; see ``AsyncControl.wait`` for parameters and errors."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout
    last: ClusterModel | None = None
    model = registry.find(id)
    must_speak_our_version(model)
    while True:
        if progress is not None and model is not last:
            progress(model)
        last = model
        if model.state.ended or model.wanted.stopped:
            fallback = f"The cluster '{model.name}' was stopped."
            raise (StartFailed if model.running_at is None else ClusterEnded)(model.reason or fallback)
        if model.state is ClusterState.RUNNING and (
            model.wanted.n_workers in {None, _accepted(model)} or model.notice is not None
        ):
            return model
        if model.progress is not None and model.progress.step in IN_LINE:
            deadline = loop.time() + timeout  # It begins when the cluster begins.
        if loop.time() > deadline:
            raise (StartTimedOut if model.running_at is None else OperationTimedOut)(
                f"The cluster '{model.name}' is still {model.state.value} after {timeout:.0f} seconds, with "
                f"{model.n_workers} workers. It keeps starting; see its log, or stop it."
            )
        await asyncio.sleep(POLL_SECONDS)
        model = registry.find(model.id)


def must_have_scaled(model: ClusterModel, n_workers: int) -> None:
    """Refuse a cluster that has settled for another number of workers than it was asked for. Raises `ScaleFailed`."""
    if {_accepted(model), model.wanted.n_workers} != {n_workers}:
        count = counted(model.n_workers, "worker")
        meanwhile = f"Another request changed the cluster '{model.name}' in the meantime; it has {count} now."
        raise ScaleFailed(model.notice or meanwhile)


async def wait_until_restarted(registry: Registry, before: ClusterModel, *, timeout: float) -> ClusterModel:
    """Wait until none of the workers' processes is one of those before."""
    # The request is accepted before it is visible: the workers' processes must be others.
    old = {worker.pid for worker in before.workers}
    deadline = asyncio.get_running_loop().time() + timeout
    while True:
        model = await wait_until_done(registry, before.id, timeout=timeout)
        if model.notice is not None:
            raise OperationFailed(model.notice)
        if not old & {worker.pid for worker in model.workers}:
            return model
        if asyncio.get_running_loop().time() > deadline:
            raise OperationTimedOut(
                f"The workers of '{model.name}' did not come back within {timeout:.0f} seconds. "
                "The cluster keeps running; they may still arrive."
            )
        await asyncio.sleep(POLL_SECONDS)


async def wait_until_retired(
    registry: Registry, id: str, worker: str, address: str | None, *, timeout: float
) -> ClusterModel:
    """Wait until no worker has that address."""
    deadline = asyncio.get_running_loop().time() + timeout
    while True:
        model = registry.find(id)
        if address not in {found.address for found in model.workers}:
            return model
        if model.notice is not None:
            raise InvalidState(model.notice)
        if asyncio.get_running_loop().time() > deadline:
            raise OperationTimedOut(
                f"The worker {worker} of '{model.name}' is still there after {timeout:.0f} seconds. "
                "The cluster keeps running, and may still release it."
            )
        await asyncio.sleep(POLL_SECONDS)


async def wait_until_connected(registry: Registry, id: str, n_workers: int, *, timeout: float) -> ClusterModel:
    """Wait until at least that many workers are connected."""
    deadline = asyncio.get_running_loop().time() + timeout
    while (model := registry.find(id)).n_workers < n_workers:
        if model.state.ended or model.state is ClusterState.STOPPING:
            raise ClusterEnded(f"The cluster '{model.name}' is {model.state.value}. {model.reason or ''}".strip())
        if asyncio.get_running_loop().time() > deadline:
            raise OperationTimedOut(
                f"{model.n_workers} of {n_workers} workers of '{model.name}' arrived within {timeout:.0f} seconds. "
                "The cluster keeps running; the others may still arrive."
            )
        await asyncio.sleep(POLL_SECONDS)
    return model


def _accepted(model: ClusterModel) -> int:
    """Return how many workers are there or wait in a queue: a request is done when it was handed on."""
    return model.n_workers + (model.n_pending if model.pending_reason is not None else 0)
