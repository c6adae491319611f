"""One slot: a worker that was asked for, and the job that it is to run in."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ..deployment import Slot, SlotState
from .jobs import Job

RETURN_SECONDS = 60.0
"""A worker whose job goes on may be away for so long: its nanny starts it anew."""
UNSEEN_SECONDS = 15.0
"""A job that was submitted and is not in the queue after so long has been there and gone."""


@dataclass
class JobSlot:
    """What is known of one worker and its job."""

    name: str
    """Of the worker; the job's name ends with it."""
    state: SlotState = SlotState.PENDING
    since: datetime = field(default_factory=lambda: datetime.now(UTC))
    why: str | None = "is handed to Slurm"
    job_id: str | None = None
    job: Job | None = None
    """As it was last seen."""
    submitted: float | None = None
    """Wall-clock time from which on it is in the queue."""
    refused: str | None = None
    """Why Slurm did not take it."""
    came: bool = False
    away: float | None = None
    """Since when its worker is not there, although its job goes on."""
    replaced: bool = False
    """Whether another one was asked for, because the walltime ends."""
    cancelled: bool = False
    """Whether Slurm was told to end its job, and said that it does."""
    vanished: bool = False
    """Whether Slurm knows nothing of its job any more."""

    @property
    def over(self) -> bool:
        """Whether its job has ended."""
        return self.vanished or (self.job is not None and self.job.over)

    def will_be_over(self, jobs: dict[str, Job], begun: float) -> bool:
        """Whether that look in the queue tells that its job is over."""
        found = jobs.get(self.job_id or "")
        return found.over if found is not None else self._has_vanished(begun)

    def _has_vanished(self, begun: float) -> bool:
        if self.submitted is None or begun <= self.submitted + 1:
            return self.vanished
        # A controller that is busy may list it a little later.
        return self.job is not None or begun > self.submitted + UNSEEN_SECONDS

    def saw(self, jobs: dict[str, Job], begun: float) -> None:
        """Note what was found in the queue."""
        found = jobs.get(self.job_id or "")
        if found is not None:
            self.job, self.vanished = found, False
        else:
            self.vanished = self._has_vanished(begun)

    def update(self, here: Collection[str], how_it_ended: Callable[[JobSlot], str]) -> bool:
        """Find out the state; returns whether the slot is there no more.

        Parameters
        ----------
        here : collection of str
            Names of the workers that are connected.
        how_it_ended : callable
            Gives in words why the job of a slot is over.
        """
        if self.state is SlotState.LEAVING:
            return self.name not in here and (self.over or self.cancelled or self.job_id is None)
        state, why = self._look(here, how_it_ended)
        if state is not self.state:
            self.since = datetime.now(UTC)
        self.state, self.why = state, why
        return False

    def _look(self, here: Collection[str], how_it_ended: Callable[[JobSlot], str]) -> tuple[SlotState, str | None]:
        if self.refused is not None:
            return SlotState.FAILED, self.refused
        if self.over:
            return (SlotState.LOST if self.came else SlotState.FAILED), how_it_ended(self)
        if self.name in here:
            self.came, self.away = True, None
            return SlotState.RUNNING, None
        if self.job is not None and self.job.waits:
            # Those who run the site may put a job back into the queue whatever it says of itself.
            self.came, self.away = False, None
        if not self.came:
            return SlotState.PENDING, self.why if self.job is None else self.job.why_it_waits(datetime.now())
        self.away = self.away or time.monotonic()
        if time.monotonic() - self.away > RETURN_SECONDS:
            return SlotState.LOST, "its worker is gone, although its job goes on"
        return SlotState.PENDING, "its worker starts anew"

    def leave(self) -> None:
        """Note that it was told to end."""
        if self.state is not SlotState.LEAVING:
            self.state, self.since, self.why = SlotState.LEAVING, datetime.now(UTC), None

    def model(self) -> Slot:
        """Return it as the supervisor sees it."""
        runs = self.job is not None and self.job.runs and self.state is SlotState.RUNNING
        node, ends = (self.job.nodes or None, self.job.ends) if runs and self.job is not None else (None, None)
        # Slurm tells the site's local time.
        return Slot(self.name, self.state, self.since, self.why, node, ends.astimezone() if ends is not None else None)
