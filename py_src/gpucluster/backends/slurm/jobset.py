"""The jobs of one cluster: which there are, which count, and which ones a number of workers would be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...protocol.plain_text import counted
from ..deployment import SlotState
from .fitting import Fit, fit, in_words, job_sizes
from .slots import JobSlot


class JobSet:
    """All jobs of a cluster that were asked for and are not forgotten, in that order.

    Parameters
    ----------
    together : int
        Workers of one job.
    nodes : int
        Nodes of one job.
    whole : bool
        Whether no job may have fewer workers.
    """

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
        """Whether any was ever asked for."""
        return self._number > 0

    @property
    def restless(self) -> bool:
        """Whether something waits or changes."""
        return any(not job.complete or job.replaced or job.too_big or not job.seen_running for job in self)

    def add(self, sizes: Sequence[int]) -> list[JobSlot]:
        """Note that jobs with so many workers are asked for; they have numbers that none had before."""
        new = [JobSlot(str(self._number + place), size, self._nodes) for place, size in enumerate(sizes)]
        self._number += len(new)
        self.by_name |= {job.name: job for job in new}
        return new

    def forget(self, job: JobSlot) -> None:
        """Note that a job is there no more."""
        del self.by_name[job.name]

    def sizes_of(self, n_workers: int) -> list[int]:
        """Return the workers of each of the jobs that so many workers are."""
        return job_sizes(n_workers, self._together, whole=self._whole)

    def staying(self) -> list[JobSlot]:
        """Return those that count."""
        return [job for job in self if job.stays]

    def in_the_queue(self) -> list[JobSlot]:
        """Return those that have not begun, the last ones first."""
        return [job for job in self.staying() if job.job is not None and job.job.waits][::-1]

    def over(self) -> list[JobSlot]:
        """Return those that are over, although nobody has told them to end."""
        return [job for job in self if job.state in {SlotState.LOST, SlotState.FAILED}]

    def fit(self, n_workers: int) -> Fit:
        """Return which jobs stay, leave and are missing for a number of workers."""
        there = [job for job in self if job.stays or (job.too_big and job.has_workers)]
        return fit(there, n_workers, self._together, whole=self._whole)

    def change(self, n_workers: int) -> Fit:
        """Return the same, and note which jobs go on until smaller ones have come."""
        found = self.fit(n_workers)
        for job in (*found.stay, *found.leave, *found.too_big):
            job.too_big = job in found.too_big
        return found

    def keep_all(self) -> None:
        """Note that none is too big."""
        for job in self:
            job.too_big = False

    def notes(self) -> list[str]:
        """Return in sentences how workers are spread over jobs, where that is not plain."""
        spread = in_words([job.size for job in self.staying()])
        found = [f"{spread}."] if spread else []
        return found + [
            f"Job {job.name} goes on with {counted(job.size, 'worker')} until a smaller one has come in its place."
            for job in self
            if job.too_big
        ]
