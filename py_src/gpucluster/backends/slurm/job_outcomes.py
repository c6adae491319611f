"""Why jobs of a cluster are over: in words, and in the log with what they have printed."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable

from ...protocol.sizes import format_size
from ..deployment import SlotState
from .folder import JobFolder, telling
from .jobs import Job
from .slots import JobSlot

logger = logging.getLogger("gpucluster.backends")

KEPT_OUTPUTS = 20
"""Of so many jobs that are over, what they have printed is kept; each may have 16 MiB."""


class Endings:
    """Knows how each job has ended.

    Parameters
    ----------
    folder : JobFolder
    names : str
        What the jobs' names begin with.
    walltime : str
        Their limit of time.
    memory_limit_bytes : int
        Of a worker; 0: nobody has said one.
    tell : callable
        Writes into the cluster's activity: a kind, and a sentence.
    """

    def __init__(
        self, folder: JobFolder, names: str, walltime: str, memory_limit_bytes: int, tell: Callable[[str, str], None]
    ) -> None:
        self._folder = folder
        self._names = names
        self._walltime = walltime
        self._memory_limit_bytes = memory_limit_bytes
        self._tell = tell
        self._known: dict[str, str] = {}
        self._ended: deque[tuple[str, str]] = deque()

    def of(self, slot: JobSlot) -> str:
        """Return why a job is over, without a full stop."""
        return self._known.get(slot.name, f"its job {slot.job_id} is over")

    async def learn(self, slot: JobSlot, job: Job | None) -> None:
        """Find out why a job is over, once, before it counts as that.

        Parameters
        ----------
        slot : JobSlot
        job : Job or None
            As it is in the queue.
        """
        if slot.name in self._known:
            return
        lines = await self._folder.printed(f"{self._names}{slot.name}", slot.job_id or "", job)
        if lines:
            logger.warning("Job %s ended; it printed:\n%s", slot.job_id, "\n".join(lines))
        if job is None:
            told = f"its job {slot.job_id} is no longer in the queue"
        else:
            limit = self._memory_limit_bytes * slot.size // slot.nodes
            told = job.how_it_ended(self._walltime, format_size(limit) if limit else None, telling(lines))
            began_in_vain = not slot.came and job.nodes and job.state in {"FAILED", "COMPLETED"}
            if not lines and began_in_vain and self._folder.shared:
                told += "; it printed nothing"
                if not self._folder.was_there(f"{self._names}{slot.name}", slot.job_id or ""):
                    told += f": perhaps {self._folder.base} is not there on the nodes"
        self._known[slot.name] = told
        self._ended.append((f"{self._names}{slot.name}", slot.job_id or ""))
        if len(self._ended) > KEPT_OUTPUTS:
            await asyncio.to_thread(self._folder.forget_printed, *self._ended.popleft())
        if slot.came and slot.state is not SlotState.LEAVING:
            who = f"Worker {slot.name}" if slot.size == 1 else f"Workers {slot.names[0]} to {slot.names[-1]}"
            self._tell("worker_died", f"{who}: {told}.")
