"""States of servers (scheduler, worker, nanny): the undocumented ``distributed.core.Status`` (2021.8)."""

from __future__ import annotations

from typing import Any


def has_failed(server: Any) -> bool:
    """Whether a server could not start: ``Status.failed``."""
    from distributed.core import Status

    return getattr(server, "status", None) == Status.failed


def is_ending(server: Any) -> bool:
    """Whether a server closes, is closed or could not start: ``Status.closing``, ``closed`` and ``failed``."""
    from distributed.core import Status

    return server.status in {Status.closing, Status.closed, Status.failed}


def is_closed(server: Any) -> bool:
    """Whether a server closes or is closed, whatever it was before: ``Status.closing`` and ``closed``."""
    from distributed.core import Status

    return server.status in {Status.closing, Status.closed}


def is_gone(server: Any) -> bool:
    """Whether a server has closed to the end: ``Status.closed``."""
    from distributed.core import Status

    return bool(server.status == Status.closed)


def has_not_started(server: Any) -> bool:
    """Whether a server, or a ``Cluster``, is not up yet: ``Status.created`` and ``starting``."""
    from distributed.core import Status

    return server.status in {Status.created, Status.starting}


def can_hold_results(worker: Any) -> bool:
    """Whether a worker takes results from others: ``Status.running`` and ``paused``."""
    from distributed.core import Status

    return worker.status in {Status.running, Status.paused}


def is_paused(worker: Any) -> bool:
    """Whether a worker starts no new tasks, as when its memory is almost full: ``Status.paused``, by its name."""
    return bool(worker.status.name == "paused")


def still_works(worker: Any) -> bool:
    """Whether tasks on a worker may go on: ``running``, ``paused``, ``closing_gracefully``, by ``Status.name``."""
    return worker.status.name in {"running", "paused", "closing_gracefully"}


def status_named(name: str) -> Any:
    """Return a status by its name, as ``Cluster.status`` has it; ``distributed.Client`` asks its cluster for it."""
    from distributed.core import Status

    return Status[name]


def no_reply() -> Any:
    """Return what a handler returns that has answered, or closed the connection, itself: ``Status.dont_reply``."""
    from distributed.core import Status

    return Status.dont_reply


def has_been_running(server: Any) -> bool:
    """Whether a server has got beyond its start: none of ``undefined``, ``init``, ``starting`` and ``failed``."""
    from distributed.core import Status

    return server.status not in {Status.undefined, Status.init, Status.starting, Status.failed}
