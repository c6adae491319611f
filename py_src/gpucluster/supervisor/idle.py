"""The idle timer: a cluster that nobody is connected to and that computes nothing stops itself."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

from ..protocol.models import Idle


class IdleTimer:
    """Counts how long nothing has happened, on a clock that nobody can set.

    Parameters
    ----------
    timeout_seconds : int or None
        Idle time after which ``expired`` is true; ``None`` for never.
    """

    def __init__(self, timeout_seconds: int | None) -> None:
        self.timeout_seconds = timeout_seconds
        self._since: float | None = None
        self._model = Idle(timeout_seconds=timeout_seconds)

    def set_timeout(self, timeout_seconds: int | None) -> None:
        """Change the timeout; the count starts anew."""
        self.timeout_seconds = timeout_seconds
        self._since = None
        self._model = Idle(timeout_seconds=timeout_seconds)

    def update(self, *, busy: bool) -> None:
        """Tell the timer whether the cluster is in use right now."""
        if busy:
            if self._since is not None:
                self._since = None
                self._model = Idle(timeout_seconds=self.timeout_seconds)
        elif self._since is None:
            self._since = time.monotonic()
            start = datetime.now(UTC)
            stops = None if self.timeout_seconds is None else start + timedelta(seconds=self.timeout_seconds)
            self._model = Idle(
                timeout_seconds=self.timeout_seconds,
                idle_since=_iso(start),
                stops_at=None if stops is None else _iso(stops),
            )

    @property
    def expired(self) -> bool:
        """Whether the cluster has been idle for too long."""
        if self._since is None or self.timeout_seconds is None:
            return False
        return time.monotonic() - self._since >= self.timeout_seconds

    def model(self) -> Idle:
        """Return the timer's wire form; the same object while nothing changes."""
        return self._model


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
