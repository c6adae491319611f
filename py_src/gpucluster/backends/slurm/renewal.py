"""The end of the walltime: others are asked for in time, and take what those hold whose time is over."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from ...protocol.plain_text import counted
from ..deployment import Deployment, SlotState
from .jobs import clock
from .slots import JobSlot

WARNED_SECONDS = 600.0
"""So long before the end people are told, at most."""
LEAST_SECONDS = 30.0
MOST_SECONDS = 600.0


class Renewal:
    """Knows which jobs' time is over soon, or are to be replaced because workers of them do not come back.

    Parameters
    ----------
    walltime_seconds : int
        Of each job.
    slots : mapping
        All there are, by the jobs' numbers.
    """

    def __init__(self, walltime_seconds: int, slots: Mapping[str, JobSlot]) -> None:
        self._slots = slots
        self._warned_seconds = min(WARNED_SECONDS, walltime_seconds / 2)
        self._lead_seconds = min(MOST_SECONDS, max(LEAST_SECONDS, walltime_seconds / 10))
        """A worker hands over what it has so long before its end; others are asked for twice as long before."""
        self._handing: set[str] = set()

    def look(self, now: datetime) -> tuple[list[JobSlot], list[JobSlot]]:
        """Return those in whose place others are to be asked for now, and those that are to hand over now."""
        ending, handing = [], []
        for slot in self._slots.values():
            end = now if slot.given_up else _end_of(slot)
            if slot.state is SlotState.RUNNING and end is not None:
                left = (end - now).total_seconds()
                if left < 2 * self._lead_seconds and not slot.replaced and not slot.too_big:
                    slot.replaced = True
                    ending.append(slot)
                elif left < self._lead_seconds and (slot.replaced or slot.too_big) and slot.name not in self._handing:
                    handing.append(slot)
        return ending, handing

    def notes(self, now: datetime) -> list[str]:
        """Return in sentences what ends soon."""
        replaced = [slot for slot in self._slots.values() if slot.replaced and not slot.given_up]
        ends = [end for slot in replaced if (end := _end_of(slot)) is not None]
        if ends:
            return [
                f"The walltime of {counted(len(ends), 'job')} ends at {clock(min(ends), now)}. What they hold goes to "
                "others before, and as many new jobs are asked for."
            ]
        ends = [end for slot in self._slots.values() if (end := _end_of(slot)) is not None]
        if ends and (min(ends) - now).total_seconds() < self._warned_seconds:
            return [f"The walltime of a job ends at {clock(min(ends), now)}."]
        return []

    async def hand_over(self, slot: JobSlot, deployment: Deployment, *, waits_for_others: bool) -> None:
        """Move the results of one job's workers to the others, as soon as there are others, and end the job.

        Parameters
        ----------
        slot : JobSlot
        deployment : Deployment
        waits_for_others : bool
            Whether others were asked for. If not, a job that was given up ends when it holds nothing.
        """
        others = [other for other in self._slots.values() if other.state is SlotState.RUNNING and other is not slot]
        if not others and (waits_for_others or not slot.given_up):
            return
        if slot.name in self._handing:
            return
        self._handing.add(slot.name)
        try:
            handed = await deployment.scheduler.hand_over(set(slot.names))
            if not handed.kept:
                await deployment.release(slot.names)
        finally:
            self._handing.discard(slot.name)


def _end_of(slot: JobSlot) -> datetime | None:
    return slot.job.ends if slot.job is not None and slot.job.runs else None
