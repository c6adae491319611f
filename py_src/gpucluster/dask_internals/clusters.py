"""The parts of ``distributed.deploy.Cluster`` that code for it uses, for a scheduler in another process."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distributed.security import Security

_MODULE = "distributed.deploy.cluster"


def class_for_dask(cls: type) -> type:
    """Return a class that is ``cls`` and, once distributed is imported, ``distributed.deploy.Cluster`` as well.

    An object that names it as its ``__class__`` is an instance of both for ``isinstance``, and imports nothing. Relies
    on the class being defined in the module ``distributed.deploy.cluster`` (1.28).
    """
    theirs = getattr(sys.modules.get(_MODULE), "Cluster", None)
    return cls if theirs is None else _both(cls, theirs)


@cache
def _both(cls: type, theirs: type) -> type:
    names = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    return type(cls)(cls.__name__, (cls, theirs), names)


def is_adaptive_of_dask(cls: Any) -> bool:
    """Whether a class is Dask's own for adaptive scaling: ``distributed.deploy.adaptive.Adaptive`` (1.28)."""
    return cls is getattr(sys.modules.get("distributed.deploy.adaptive"), "Adaptive", None)


def scheduler_rpc(address: str, security: Security | None) -> Any:
    """Return an object that calls the scheduler at an address, as ``Cluster.scheduler_comm`` does; it connects on use.

    Relies on ``distributed.core.rpc(address, connection_args=…)`` and ``Security.get_connection_args(role)`` (2021.1).
    """
    from distributed.core import rpc
    from distributed.security import Security

    security = Security() if security is None else security
    return rpc(address, connection_args=security.get_connection_args("client"))


async def close_rpc(caller: Any) -> None:
    """Close the connections of what ``scheduler_rpc`` returned: the coroutine ``rpc.close_rpc()`` (2021.1)."""
    await caller.close_rpc()


async def was_used(address: str, security: Security) -> bool:
    """Whether a worker or a client has ever been connected to a scheduler.

    Relies on the handler ``events`` of a scheduler, which gives its log by topic, where joining is the ``action``
    ``add-worker`` or ``add-client`` of the topic ``all`` (2021.1), and on the same as ``scheduler_rpc``. An entry that
    cannot be sent, which only work leaves there, closes the connection.
    """
    from distributed.comm.core import CommClosedError

    caller = scheduler_rpc(address, security)
    try:
        log = await caller.events(topic="all")
    except CommClosedError:
        await caller.identity()  # Raises if there is no scheduler.
        return True
    finally:
        await close_rpc(caller)
    events = [entry[-1] for entry in log]
    return any(isinstance(event, dict) and event.get("action") in {"add-worker", "add-client"} for event in events)


async def identity_of(address: str, security: Security) -> Any:
    """Return a scheduler's description of itself and its workers: its handler ``identity`` (2023.1).

    Relies on ``distributed.objects.SchedulerInfo`` being a dictionary that notebooks can show, and on the same as
    ``scheduler_rpc``.
    """
    from distributed.objects import SchedulerInfo

    async with scheduler_rpc(address, security) as caller:
        return SchedulerInfo(await caller.identity())


def no_scheduler_info() -> Any:
    """Return ``Cluster.scheduler_info`` without a scheduler: ``SchedulerInfo`` without workers."""
    from distributed.objects import SchedulerInfo

    return SchedulerInfo({"workers": {}})


async def logs_of(address: str, security: Security, *, scheduler: bool, workers: Any) -> dict[str, str]:
    """Return the logs that a scheduler and its workers keep, by ``Scheduler`` and the workers' addresses.

    Relies on the scheduler's handlers ``get_logs`` and ``worker_logs(workers=)``, which give pairs of level and line
    (2021.1), and on the same as ``scheduler_rpc``.
    """
    found: dict[str, str] = {}
    async with scheduler_rpc(address, security) as caller:
        if scheduler:
            found["Scheduler"] = _text(await caller.get_logs())
        if workers:
            addresses = None if workers is True else list(workers)
            found |= {worker: _text(lines) for worker, lines in (await caller.worker_logs(workers=addresses)).items()}
    return found


def shown_logs(logs: Mapping[str, str]) -> Any:
    """Return logs as ``Cluster.get_logs`` does: texts in ``distributed.utils.Logs`` and ``Log`` (2021.1)."""
    from distributed.utils import Log, Logs

    return Logs({name: Log(text) for name, text in logs.items()})


def _text(lines: Any) -> str:
    return "\n".join(line for _, line in lines)
