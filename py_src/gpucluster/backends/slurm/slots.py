"""The state of one job and its workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ..deployment import Slot, SlotState
from .jobs import Job, node_names

RETURN_SECONDS = 60.0  # Time for the nanny to restart a worker whose job continues.
UNSEEN_SECONDS = 15.0  # A submitted job that is not in the queue after this time has already ended.


@dataclass
class WorkerSlot:
    """One worker of a job."""

    name: str
    state: SlotState = SlotState.PENDING
    since: datetime = field(default_factory=lambda: datetime.now(UTC))
    why: str | None = None
    came: bool = False
    away: float | None = None  # Since when it is gone, although its job continues.

    def become(self, state: SlotState, why: str | None) -> None:
        if state is not self.state:
            self.since = datetime.now(UTC)
        self.state, self.why = state, why


@dataclass
class JobSlot:
    """A job that was requested, and its workers."""

    name: str  # Suffix of the job's name, and prefix of its workers' names.
    size: int = 1  # Number of workers.
    nodes: int = 1  # Number of nodes, with equally many workers on each.
    state: SlotState = SlotState.PENDING  # Running as soon as one of its workers is connected.
    why: str | None = "is handed to Slurm"
    job_id: str | None = None
    job: Job | None = None  # Its last known entry in the queue.
    submitted: float | None = None  # Wall-clock time when it was submitted.
    refused: str | None = None  # Why Slurm refused it.
    silent: bool = False  # Whether that was because Slurm did not answer.
    given_up: bool = False  # Whether some of its workers will not come back, while others still run.
    replaced: bool = False  # Whether another one was requested, because the walltime ends, or workers do not come back.
    too_big: bool = False  # Whether fewer workers are wanted, and it continues until a smaller job runs.
    given: bool = False  # Whether its job has received its secrets, without shared storage.
    cancelled: bool = False  # Whether Slurm has confirmed a request to end its job.
    vanished: bool = False  # Whether Slurm no longer knows its job.
    workers: list[WorkerSlot] = field(init=False)

    def __post_init__(self) -> None:
        on_nodes = [self.name] if self.nodes == 1 else [f"{self.name}-{node}" for node in range(self.nodes)]
        each = self.size // self.nodes
        # Named as Dask and dask-cuda name several workers of one command.
        self.workers = [
            WorkerSlot(name if each == 1 else f"{name}-{number}") for name in on_nodes for number in range(each)
        ]

    @property
    def names(self) -> list[str]:
        return [worker.name for worker in self.workers]

    @property
    def stays(self) -> bool:
        """Whether it counts: neither over nor leaving, and not about to be replaced."""
        gone = {SlotState.LEAVING, SlotState.LOST, SlotState.FAILED}
        return self.state not in gone and not self.replaced and not self.too_big

    @property
    def has_workers(self) -> bool:
        return self.state is SlotState.RUNNING

    @property
    def came(self) -> bool:
        """Whether any of its workers was ever connected."""
        return any(worker.came for worker in self.workers)

    @property
    def complete(self) -> bool:
        return all(worker.state is SlotState.RUNNING for worker in self.workers)

    @property
    def seen_running(self) -> bool:
        """Whether it ran at the last look in the queue, so that its node and its end are known."""
        return self.job is not None and self.job.runs

    @property
    def over(self) -> bool:
        return self.vanished or (self.job is not None and self.job.over)

    def will_be_over(self, jobs: dict[str, Job], begun: float) -> bool:
        """Whether its job is over according to a look in the queue."""
        found = jobs.get(self.job_id or "")
        return found.over if found is not None else self._has_vanished(begun)

    def _has_vanished(self, begun: float) -> bool:
        if self.submitted is None or begun <= self.submitted + 1:
            return self.vanished
        # A busy controller may list it a little later.
        return self.job is not None or begun > self.submitted + UNSEEN_SECONDS

    def saw(self, jobs: dict[str, Job], begun: float) -> None:
        found = jobs.get(self.job_id or "")
        if found is None:
            self.vanished = self._has_vanished(begun)
            return
        self.job, self.vanished = found, False
        self.given = self.given and not found.waits
        for worker in self.workers:
            if found.waits and worker.state is not SlotState.RUNNING:
                # Administrators may requeue a job, whatever its script says.
                worker.came, worker.away = False, None

    def update(self, here: Collection[str], how_it_ended: Callable[[JobSlot], str]) -> bool:
        """Update the states from the names of the connected workers; return whether the slot is gone."""
        if self.state is SlotState.LEAVING:
            gone = not any(name in here for name in self.names)
            return gone and (self.over or self.cancelled or self.job_id is None)
        for worker in self.workers:
            worker.become(*self._look(worker, here, how_it_ended))
        states = {worker.state for worker in self.workers}
        order = (SlotState.RUNNING, SlotState.LOST, SlotState.FAILED, SlotState.PENDING)
        self.state = next(state for state in order if state in states)
        self.why = next((worker.why for worker in self.workers if worker.state is self.state), None)
        return False

    def _look(
        self, worker: WorkerSlot, here: Collection[str], how_it_ended: Callable[[JobSlot], str]
    ) -> tuple[SlotState, str | None]:
        if self.refused is not None:
            return SlotState.FAILED, self.refused
        if self.over:
            return (SlotState.LOST if self.came else SlotState.FAILED), how_it_ended(self)
        if worker.name in here:
            worker.came, worker.away = True, None
            return SlotState.RUNNING, None
        if not worker.came:
            return SlotState.PENDING, self.why if self.job is None else self.job.why_it_waits(datetime.now())
        worker.away = worker.away or time.monotonic()
        if time.monotonic() - worker.away <= RETURN_SECONDS:
            return SlotState.PENDING, "its worker is restarting"
        why = "its worker is gone, although its job continues"
        if any(name in here for name in self.names):
            # The results of the job's other workers must not be lost with it.
            self.given_up = True
            return SlotState.PENDING, why
        return SlotState.LOST, why

    def leave(self) -> None:
        self.state, self.why = SlotState.LEAVING, None
        for worker in self.workers:
            worker.become(SlotState.LEAVING, None)

    def models(self) -> list[Slot]:
        nodes = node_names(self.job.nodes) if self.seen_running and self.job is not None else []
        each = self.size // self.nodes
        return [
            self._model(worker, nodes[place // each] if len(nodes) == self.nodes else None)
            for place, worker in enumerate(self.workers)
        ]

    def _model(self, worker: WorkerSlot, node: str | None) -> Slot:
        if self.too_big and worker.state in {SlotState.RUNNING, SlotState.PENDING}:
            return Slot(worker.name, SlotState.LEAVING, worker.since, None, None, None, self.name)
        runs = self.seen_running and worker.state is SlotState.RUNNING
        ends = self.job.ends if runs and self.job is not None else None
        # Slurm reports the site's local time.
        ends = ends.astimezone() if ends is not None else None
        return Slot(worker.name, worker.state, worker.since, worker.why, node if runs else None, ends, self.name)
