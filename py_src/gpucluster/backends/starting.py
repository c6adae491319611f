"""Start a distributed cluster so that it either has all its workers, or leaves nothing behind and says why.

distributed and dask-cuda report a worker that cannot start as a *running cluster with 0 workers*, or as
"Nanny failed to start" with the cause hidden in a chain. Here the cause is found and put into a sentence.
"""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..devices.machine import this_machine
from ..protocol.capacity import Machine, memory_fault
from ..protocol.errors import GPUClusterError, PreflightFailed, StartFailed, StartTimedOut
from ..protocol.refusals import folder_of, open_files_refusal, storage_refusal
from .backend import Plan, StartContext

if TYPE_CHECKING:
    from distributed import Scheduler
    from distributed.deploy.spec import SpecCluster

logger = logging.getLogger("gpucluster.backends")

WORKERS_TIMEOUT_SECONDS = 120.0
CLOSE_TIMEOUT_SECONDS = 8.0


def shared_machine() -> Machine:
    """Return what all workers of a cluster on this machine share."""
    from distributed.system import MEMORY_LIMIT

    found = this_machine()
    # distributed lowers every limit to what it takes for the memory of the machine.
    return Machine(memory_bytes=min(found.memory_bytes, int(MEMORY_LIMIT)), cores=found.cores)


def host_memory_limit(wanted: int | float | str | None, machine: Machine, *, workers: int) -> int:
    """Return the host memory limit of one worker in bytes; 0 means none.

    Parameters
    ----------
    wanted : int, float, "auto" or None
        Bytes, a share of the machine, an equal share, or no limit.
    machine : Machine
        Where the worker will run.
    workers : int
        Most workers that share the machine under "auto".

    Raises
    ------
    PreflightFailed
        It is more than the machine has.
    """
    if wanted is None:
        return 0
    fault = memory_fault(wanted, machine)
    if fault is not None:
        raise PreflightFailed(f"{fault.field}: {fault.message}.", fields=[fault])
    total = machine.memory_bytes
    if isinstance(wanted, str):
        return total // max(1, workers)
    return int(wanted * total) if isinstance(wanted, float) else wanted


_FULL_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}


def _refusal_in(error: BaseException | None) -> str | None:
    """Return what the system refused anywhere in a chain: distributed stumbles over it and raises something else."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        refusal = open_files_refusal(error)
        if refusal is None and isinstance(error, OSError) and error.errno in _FULL_DISK and error.filename is not None:
            refusal = storage_refusal(error, folder_of(error, Path()))
        if refusal is not None:
            return refusal.rstrip(".")
        error = error.__cause__ or error.__context__
    return None


def cause_of(error: BaseException) -> str:
    """Return the innermost real cause of an error chain in a few words."""
    refused = _refusal_in(error)
    if refused is not None:
        return refused
    # Only what was named as the cause: an error that merely was being handled explains nothing.
    while error.__cause__ is not None and not isinstance(error.__cause__, (asyncio.CancelledError, TimeoutError)):
        error = error.__cause__
    text = str(error).strip().splitlines()
    first = text[0].rstrip(".") if text else ""
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"the module '{error.name}' is not installed"
    return f"{type(error).__name__}: {first[:300]}" if first else type(error).__name__


def failed_workers(cluster: SpecCluster) -> dict[Any, BaseException]:
    """Return the workers (nannies) that failed to start, with why."""
    from distributed.core import Status

    failures: dict[Any, BaseException] = {}
    for name, worker in dict(cluster.workers).items():
        if getattr(worker, "status", None) == Status.failed:
            # distributed keeps the exception in a private attribute and logs it nowhere.
            error = getattr(worker, "_Server__startup_exc", None)
            failures[name] = error or RuntimeError("the worker process ended during its start; see the log")
    return failures


async def start_cluster(
    make: Callable[..., SpecCluster],
    plan: Plan,
    context: StartContext,
    *,
    timeout: float = WORKERS_TIMEOUT_SECONDS,
    ready: Callable[[SpecCluster], Awaitable[None]] | None = None,
) -> SpecCluster:
    """Make a cluster, start it and wait for every planned worker.

    Parameters
    ----------
    make : callable
        Called with the options that every local cluster of ours has; returns an asynchronous, not yet
        awaited ``SpecCluster`` whose scheduler is local.
    plan, context
        As given to ``Backend.start``.
    timeout : float
        Seconds until all workers must have arrived.
    ready : callable, optional
        Awaited with the complete cluster; an error in it fails the start.

    Raises
    ------
    StartFailed, StartTimedOut
        With the real cause; everything that was started is closed.
    """
    cluster: SpecCluster | None = None
    try:
        context.report("scheduler", "Starting the scheduler")
        try:
            cluster = make(
                name=context.cluster_id,
                asynchronous=True,
                security=context.security,
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"http_prefix": context.dashboard_prefix},
                local_directory=str(context.scratch_directory),
                silence_logs=False,
            )
            hide_dashboard(cluster)
            await asyncio.wait_for(_await(cluster), timeout)
        except TimeoutError:
            raise StartTimedOut(
                f"Scheduler and workers did not start within {timeout:.0f} seconds. See the log."
            ) from None
        except (asyncio.CancelledError, GPUClusterError):
            raise
        except Exception as error:
            raise _failure(cluster, error, plan) from error
        context.report("workers", "Waiting for workers")
        await _wait_for_workers(cluster, plan, timeout)
        if ready is not None:
            await ready(cluster)
        return cluster
    except BaseException:
        await close_leftovers(context.cluster_id, cluster)
        raise


def hide_dashboard(cluster: SpecCluster) -> None:
    """Let the (not yet started) scheduler serve its pages below the secret prefix only."""
    from .dashboard import PrivateDashboardScheduler

    cluster.scheduler_spec["cls"] = PrivateDashboardScheduler


def scheduler_of(cluster: SpecCluster) -> Scheduler:
    """Return the scheduler of a started cluster, which runs in this process."""
    scheduler: Scheduler | None = cluster.scheduler
    assert scheduler is not None
    return scheduler


async def _await(cluster: SpecCluster) -> None:
    await cluster


async def _wait_for_workers(cluster: SpecCluster, plan: Plan, timeout: float) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout
    while len(scheduler_of(cluster).workers) < plan.n_workers:
        failures = failed_workers(cluster)
        if failures:
            raise _failure(cluster, next(iter(failures.values())), plan)
        if loop.time() > deadline:
            raise StartTimedOut(
                f"{len(scheduler_of(cluster).workers)} of {plan.n_workers} workers arrived within {timeout:.0f} s. "
                "See the log."
            )
        await asyncio.sleep(0.02)


def _failure(cluster: SpecCluster | None, error: BaseException, plan: Plan) -> StartFailed:
    failures = failed_workers(cluster) if cluster is not None else {}
    if failures:
        error = next(iter(failures.values()))
        return StartFailed(f"{len(failures)} of {plan.n_workers} workers could not start: {cause_of(error)}.")
    logger.error("The start failed", exc_info=error)
    return StartFailed(f"The cluster could not start: {cause_of(error)}.")


def uncounted_workers(cluster: SpecCluster) -> list[Any]:
    """Return the workers (nannies) that were made and not closed, but are not among ``cluster.workers``.

    distributed counts new workers only when all that were made together have started, or failed to.
    """
    from distributed.core import Status

    counted = set(map(id, cluster.workers.values()))
    ended = {Status.closed, Status.closing}
    return [worker for worker in list(cluster._created) if id(worker) not in counted and worker.status not in ended]


def coming_workers(cluster: SpecCluster) -> list[Any]:
    """Return those of the uncounted workers that may still arrive."""
    from distributed.core import Status

    return [worker for worker in uncounted_workers(cluster) if worker.status != Status.failed]


def count_all_workers(cluster: SpecCluster) -> None:
    """Let ``cluster.close`` also close the workers that a cancelled start has made but not yet counted."""
    for worker in uncounted_workers(cluster):
        cluster.workers.setdefault(worker.name, worker)


async def close_leftovers(cluster_id: str, cluster: SpecCluster | None) -> None:
    """Close whatever a start left behind, also when a constructor failed half-way."""
    from distributed.deploy.spec import SpecCluster

    found = {cluster} if cluster is not None else set()
    found |= {item for item in set(SpecCluster._instances) if getattr(item, "name", None) == cluster_id}
    for item in found:
        count_all_workers(item)
        with suppress(Exception):
            closing: Awaitable[None] = item.close()  # type: ignore[assignment]  # awaitable: it is asynchronous
            await asyncio.wait_for(asyncio.shield(closing), CLOSE_TIMEOUT_SECONDS)
