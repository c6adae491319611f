"""The jobs of one cluster, and which jobs a number of workers needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...protocol.plain_text import counted
from ..deployment import SlotState
from .slots import JobSlot


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
    """Return the number of workers of each job for `n_workers` in all, the smaller job last.

    `together`: workers of one job. `whole`: whether no job may have fewer; then there are more workers if needed.
    """
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
