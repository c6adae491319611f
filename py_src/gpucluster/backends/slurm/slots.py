"""The jobs of one cluster with the state of their workers, and which jobs a number of workers needs."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ...protocol.plain_text import counted
from ..deployment import Slot, SlotState
from .commands import Job, node_names

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
    why: str | None = "is being submitted to Slurm"
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
        names = on_nodes if each == 1 else [f"{name}-{number}" for name in on_nodes for number in range(each)]
        self.workers = [WorkerSlot(name) for name in names]

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


class JobSet:
    """All jobs of a cluster that were requested and are not forgotten, in that order."""

    def __init__(self, together: int, nodes: int, *, whole: bool) -> None:
        self._together = together
        self._nodes = nodes
        self._whole = whole
        self._number = 0
        self.by_name: dict[str, JobSlot] = {}

    def __iter__(self) -> Iterator[JobSlot]:
        return iter(list(self.by_name.values()))

    @property
    def asked(self) -> bool:
        return self._number > 0

    @property
    def restless(self) -> bool:
        """Whether something waits or changes."""
        return any(not job.complete or job.replaced or job.too_big or not job.seen_running for job in self)

    def add(self, sizes: Sequence[int]) -> list[JobSlot]:
        """Add jobs with these numbers of workers; job numbers are never reused."""
        new = [JobSlot(str(self._number + place), size, self._nodes) for place, size in enumerate(sizes)]
        self._number += len(new)
        self.by_name |= {job.name: job for job in new}
        return new

    def forget(self, job: JobSlot) -> None:
        del self.by_name[job.name]

    def sizes_of(self, n_workers: int) -> list[int]:
        return job_sizes(n_workers, self._together, whole=self._whole)

    def staying(self) -> list[JobSlot]:
        return [job for job in self if job.stays]

    def in_the_queue(self) -> list[JobSlot]:
        """Return those that have not begun, the last ones first."""
        return [job for job in self.staying() if job.job is not None and job.job.waits][::-1]

    def over(self) -> list[JobSlot]:
        """Return those that ended without a request."""
        return [job for job in self if job.state in {SlotState.LOST, SlotState.FAILED}]

    def fit(self, n_workers: int) -> Fit:
        """Return which jobs stay, leave and are missing for a number of workers."""
        there = [job for job in self if job.stays or (job.too_big and job.has_workers)]
        return fit(there, n_workers, self._together, whole=self._whole)

    def change(self, n_workers: int) -> Fit:
        """Return the same, and mark the jobs that continue until smaller ones run."""
        found = self.fit(n_workers)
        for job in (*found.stay, *found.leave, *found.too_big):
            job.too_big = job in found.too_big
        return found

    def notes(self) -> list[str]:
        spread = in_words([job.size for job in self.staying()])
        found = [f"{spread}."] if spread else []
        return found + [
            f"Job {job.name} continues with {counted(job.size, 'worker')} until a smaller one has replaced it."
            for job in self
            if job.too_big
        ]


@dataclass
class Fit:
    """How the jobs change for a number of workers."""

    stay: list[JobSlot] = field(default_factory=list)
    leave: list[JobSlot] = field(default_factory=list)
    too_big: list[JobSlot] = field(default_factory=list)  # They continue until smaller ones have replaced them.
    missing: list[int] = field(default_factory=list)  # Numbers of workers of the jobs to request.


def job_sizes(n_workers: int, together: int, *, whole: bool) -> list[int]:
    """Return the number of workers of each job, the smaller one last; `whole`: none has fewer, so more in all."""
    full, rest = divmod(n_workers, together)
    if rest and whole:
        return [together] * (full + 1)
    return [together] * full + [rest] * bool(rest)


def fit(slots: Sequence[JobSlot], n_workers: int, together: int, *, whole: bool) -> Fit:
    """Return which jobs stay, and what is missing."""
    wanted = sum(job_sizes(n_workers, together, whole=whole))
    found = Fit()
    room = wanted
    # Keep jobs that have begun rather than jobs that wait in the queue.
    for slot in sorted(slots, key=lambda slot: not slot.has_workers and not slot.seen_running):
        if slot.size <= room:
            found.stay.append(slot)
            room -= slot.size
        else:
            found.leave.append(slot)
    found.missing = job_sizes(room, together, whole=whole)
    if found.missing or any(not slot.has_workers for slot in found.stay):
        # Until all of these run, the workers that leave continue to work and keep their results.
        here = sum(slot.size for slot in found.stay if slot.has_workers)
        for slot in [slot for slot in found.leave if slot.has_workers]:
            if here < wanted:
                here += slot.size
                found.leave.remove(slot)
                found.too_big.append(slot)
    # Those that were requested last leave first.
    found.leave.reverse()
    return found


def in_words(sizes: Sequence[int]) -> str | None:
    if len(set(sizes)) < 2:
        return None
    counts = {size: sizes.count(size) for size in sorted(set(sizes), reverse=True)}
    parts = [f"{count} with {size}" for size, count in counts.items()]
    return f"{sum(sizes)} workers are {len(sizes)} jobs: {', '.join(parts[:-1])} and {parts[-1]}"


def waits_for_smaller(slots: Sequence[JobSlot]) -> bool:
    """Whether the replacement of a job that is too big does not run yet."""
    others = [slot for slot in slots if not slot.too_big and slot.state is not SlotState.LEAVING]
    return not others or not all(slot.complete for slot in others)
