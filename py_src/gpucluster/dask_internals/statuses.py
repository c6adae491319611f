"""States of servers (scheduler, worker, nanny): the undocumented ``distributed.core.Status`` (2021.8)."""

from typing import Any


def _is(server: Any, *names: str) -> bool:
    # By name, which imports nothing.
    return getattr(getattr(server, "status", None), "name", None) in names


def has_failed(server: Any) -> bool:
    """Whether a server could not start: ``Status.failed``."""
    return _is(server, "failed")


def is_ending(server: Any) -> bool:
    """Whether a server closes, is closed or could not start: ``Status.closing``, ``closed`` and ``failed``."""
    return _is(server, "closing", "closed", "failed")


def is_closed(server: Any) -> bool:
    """Whether a server closes or is closed, whatever it was before: ``Status.closing`` and ``closed``."""
    return _is(server, "closing", "closed")


def is_gone(server: Any) -> bool:
    """Whether a server has closed completely: ``Status.closed``."""
    return _is(server, "closed")


def has_not_started(server: Any) -> bool:
    """Whether a server, or a ``Cluster``, is not up yet: ``Status.created`` and ``starting``."""
    return _is(server, "created", "starting")


def can_hold_results(worker: Any) -> bool:
    """Whether a worker takes results from others: ``Status.running`` and ``paused``."""
    return _is(worker, "running", "paused")


def is_paused(worker: Any) -> bool:
    """Whether a worker starts no new tasks, as when its memory is almost full: ``Status.paused``."""
    return _is(worker, "paused")


def still_works(worker: Any) -> bool:
    """Whether tasks on a worker may continue: ``Status.running``, ``paused`` and ``closing_gracefully``."""
    return _is(worker, "running", "paused", "closing_gracefully")


def has_been_running(server: Any) -> bool:
    """Whether a server has completed its start: none of ``undefined``, ``init``, ``starting`` and ``failed``."""
    return not _is(server, "undefined", "init", "starting", "failed")


def status_named(name: str) -> Any:
    """Return a status by its name, as ``Cluster.status`` has it; ``distributed.Client`` reads it from its cluster."""
    from distributed.core import Status

    return Status[name]


def no_reply() -> Any:
    """Return the value of a handler that has answered, or closed the connection, itself: ``Status.dont_reply``."""
    from distributed.core import Status

    return Status.dont_reply
