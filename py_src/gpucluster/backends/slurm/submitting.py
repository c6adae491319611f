"""Submit jobs to Slurm, and cancel them."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from ...protocol.errors import GPUClusterError
from . import commands
from .slots import JobSlot

logger = logging.getLogger("gpucluster.backends")

AT_ONCE = 4  # Number of jobs that are submitted at the same time.


class Submitter:
    """Submits the jobs of one cluster, which differ in their names and, for the last one, its size."""

    def __init__(self, script: Callable[[int], str], names: str, environment: dict[str, str]) -> None:
        self._script = script
        self._names = names
        self._environment = environment
        self._free = asyncio.Semaphore(AT_ONCE)

    async def submit(self, slots: Sequence[JobSlot]) -> None:
        """Submit a job for each slot; refusals are noted in the slots. If the first is refused, so are all."""
        first, *rest = slots
        await self._submit(first)
        if first.refused is None:
            await asyncio.gather(*(self._submit(slot) for slot in rest))
            return
        for slot in rest:
            slot.refused, slot.silent = first.refused, first.silent

    async def _submit(self, slot: JobSlot) -> None:
        name = f"{self._names}{slot.name}"
        command = ("sbatch", "--parsable", f"--job-name={name}")
        async with self._free:
            try:
                output, _ = await commands.ask(*command, text=self._script(slot.size), env=self._environment)
                slot.job_id = output.strip().splitlines()[-1].partition(";")[0]
                slot.submitted = time.time()
                slot.why = "Slurm has not considered it yet"
                logger.info("Job %s is handed to Slurm as %s", slot.job_id, name)
            except IndexError:
                slot.refused = "Slurm did not return the job's number"
            except GPUClusterError as error:
                # A job that was accepted although Slurm did not answer in time is found by its name.
                slot.refused, slot.silent = error.message.rstrip("."), isinstance(error, commands.SlurmSilent)
            if slot.refused is not None:
                logger.error("Slurm did not accept the job %s: %s", name, slot.refused)

    async def cancel(self, ids: Iterable[str | None]) -> None:
        """End these jobs. Raises `SlurmSilent`."""
        if known := [number for number in ids if number is not None]:
            with suppress(commands.SlurmRefused):  # Some may be over.
                await commands.ask("scancel", "--quiet", *known)


MOST_TRIES = 6  # After this many failures in a row without a worker, further jobs will fail, too.


class Tries:
    """Counts how often requested jobs could not start since a worker last connected."""

    def __init__(self) -> None:
        self._before = 0
        self.failed = False  # Whether the last ones could not start.

    @property
    def count(self) -> int:
        return self._before + self.failed

    def again(self) -> None:
        self._before, self.failed = self.count, False
