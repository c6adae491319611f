"""Which jobs a number of workers is: those that stay, those that leave, and those that are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..deployment import SlotState
from .slots import JobSlot


@dataclass
class Fit:
    """What becomes of the jobs for a number of workers."""

    stay: list[JobSlot] = field(default_factory=list)
    leave: list[JobSlot] = field(default_factory=list)
    too_big: list[JobSlot] = field(default_factory=list)
    """Those that go on until smaller ones, which take their places, have come."""
    missing: list[int] = field(default_factory=list)
    """The workers of each job that is to be asked for."""


def job_sizes(n_workers: int, together: int, *, whole: bool) -> list[int]:
    """Return the workers of each of the jobs that so many workers need, the smaller one last.

    Parameters
    ----------
    n_workers : int
    together : int
        Workers of one job.
    whole : bool
        Whether no job may have fewer; there are more workers then, if need be.
    """
    full, rest = divmod(n_workers, together)
    if rest and whole:
        return [together] * (full + 1)
    return [together] * full + [rest] * bool(rest)


def fit(slots: Sequence[JobSlot], n_workers: int, together: int, *, whole: bool) -> Fit:
    """Return which jobs stay, and what is missing.

    Parameters
    ----------
    slots : sequence of JobSlot
        Those that are neither over nor told to end, in the order in which they were asked for.
    n_workers, together, whole
        As for ``job_sizes``.
    """
    wanted = sum(job_sizes(n_workers, together, whole=whole))
    found = Fit()
    room = wanted
    # One whose job has begun is worth more than one that waits in the queue.
    for slot in sorted(slots, key=lambda slot: not slot.has_workers and not slot.seen_running):
        if slot.size <= room:
            found.stay.append(slot)
            room -= slot.size
        else:
            found.leave.append(slot)
    found.missing = job_sizes(room, together, whole=whole)
    if found.missing or any(not slot.has_workers for slot in found.stay):
        # What stays is not there yet: those that are there hold results, and work meanwhile.
        here = sum(slot.size for slot in found.stay if slot.has_workers)
        for slot in [slot for slot in found.leave if slot.has_workers]:
            if here < wanted:
                here += slot.size
                found.leave.remove(slot)
                found.too_big.append(slot)
    # Those that were asked for last leave first.
    found.leave.reverse()
    return found


def in_words(sizes: Sequence[int]) -> str | None:
    """Return how workers are spread over jobs, where not all of these have equally many."""
    if len(set(sizes)) < 2:
        return None
    counts = {size: sizes.count(size) for size in sorted(set(sizes), reverse=True)}
    parts = [f"{count} with {size}" for size, count in counts.items()]
    return f"{sum(sizes)} workers are {len(sizes)} jobs: {', '.join(parts[:-1])} and {parts[-1]}"


def waits_for_smaller(slots: Sequence[JobSlot]) -> bool:
    """Whether what takes the place of a job that is too big has not come yet."""
    others = [slot for slot in slots if not slot.too_big and slot.state is not SlotState.LEAVING]
    return not others or not all(slot.complete for slot in others)
