"""The idle timer: a cluster without a connected client that computes nothing stops automatically."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

from ..backends.scheduler.view import Members
from ..protocol.models import Idle
from ..protocol.plain_text import counted
from ..registry.record import stamped


class IdleTimer:
    """Counts how long nothing has happened, on a monotonic clock."""

    def __init__(self, timeout_seconds: int | None) -> None:
        self.timeout_seconds = timeout_seconds
        self._since: float | None = None
        self._quiet_since: str | None = None
        self._kept_by: str | None = None
        self._n_uses = 0
        self._model = Idle(timeout_seconds=timeout_seconds)

    def set_timeout(self, timeout_seconds: int | None) -> None:
        """Change the timeout; the count restarts."""
        self.timeout_seconds = timeout_seconds
        self._since = None
        self._model = Idle(timeout_seconds=timeout_seconds, quiet_since=self._quiet_since, kept_by=self._kept_by)

    def update(self, *, busy: bool, quiet: bool = False, kept_by: str | None = None, n_uses: int = 0) -> None:
        """Update the timer with how the cluster is used now.

        `quiet`: whether no task runs, even while a client is connected. `kept_by`: what keeps it in use then. `n_uses`:
        a counter of uses; where it has changed, the count restarts.
        """
        changes: dict[str, object] = {}
        if n_uses != self._n_uses:
            self._n_uses = n_uses
            self._since = None
            if quiet:
                self._quiet_since = None
        if quiet == (self._quiet_since is None):
            changes["quiet_since"] = self._quiet_since = stamped(datetime.now(UTC), "seconds") if quiet else None
        if kept_by != self._kept_by:
            changes["kept_by"] = self._kept_by = kept_by
        if busy and self._model.idle_since is not None:
            self._since = None
            changes |= {"idle_since": None, "stops_at": None}
        elif not busy and self._since is None:
            self._since = time.monotonic()
            start = datetime.now(UTC)
            changes |= {"idle_since": stamped(start, "seconds"), "stops_at": None}
            if self.timeout_seconds is not None:
                changes["stops_at"] = stamped(start + timedelta(seconds=self.timeout_seconds), "seconds")
        if changes:
            self._model = self._model.model_copy(update=changes)

    @property
    def expired(self) -> bool:
        if self._since is None or self.timeout_seconds is None:
            return False
        return time.monotonic() - self._since >= self.timeout_seconds

    def model(self) -> Idle:
        """Return the timer's wire form; the same object while nothing changes."""
        return self._model


def kept_by(members: Members, *, waits_in_queue: bool) -> str | None:
    """Return what keeps a cluster in which no task runs from stopping automatically, in a few words."""
    if members.n_queued:
        waits = "waits" if members.n_queued == 1 else "wait"
        return f"{counted(members.n_queued, 'task')} {waits} for a worker"
    if members.n_clients:
        if members.n_held:
            return f"holds {counted(members.n_held, 'result')}"
        are_notebooks = len(members.kernels) == members.n_clients
        return f"kept by {counted(members.n_clients, 'notebook' if are_notebooks else 'client')}"
    return "workers wait in a queue" if waits_in_queue else None
