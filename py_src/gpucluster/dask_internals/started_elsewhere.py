"""Base of a worker that ``distributed.SpecCluster`` counts, and that something else starts."""

from typing import Any

from distributed.core import Status
from distributed.deploy.spec import ProcessInterface


class StartedElsewhere(ProcessInterface):
    """A ``ProcessInterface`` that reports its state as a nanny does.

    Relies on ``ProcessInterface.status`` and ``_event_finished``, which ``finished()`` waits for (2021.1), and on what
    ``spec_cluster.failed`` reads: ``Status.failed`` and ``__startup_exc`` of ``Server`` under its mangled name.
    """

    address: Any
    _event_finished: Any

    def __init__(self, scheduler: str, name: Any) -> None:
        super().__init__(scheduler=scheduler, name=name)  # type: ignore[no-untyped-call]

    def note_running(self) -> None:
        if self.status != Status.closed:
            self.status = Status.running

    @property
    def runs(self) -> bool:
        return bool(self.status == Status.running)

    def note_failure(self, error: Exception) -> Exception:
        """Note that it could not start, and why; returns the error."""
        self.status = Status.failed
        self._Server__startup_exc = error
        self._event_finished.set()
        return error

    async def has_ended(self) -> None:
        """Wait for its end."""
        await self._event_finished.wait()

    def note_gone(self) -> None:
        """Note its end; one that could not start keeps that state."""
        if self.status != Status.failed:
            self.status = Status.closed
        self._event_finished.set()

    async def close(self) -> None:
        """Note that it was stopped."""
        self.status = Status.closed
        self._event_finished.set()
