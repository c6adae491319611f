"""Hand jobs to Slurm, and take them back."""

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

AT_ONCE = 4  # So many jobs are submitted at the same time.


class Submitter:
    """Submits the jobs of one cluster, which are alike but for their names and, perhaps, the size of the last."""

    def __init__(self, script: Callable[[int], str], names: str, environment: dict[str, str]) -> None:
        self._script = script
        self._names = names
        self._environment = environment
        self._free = asyncio.Semaphore(AT_ONCE)

    async def submit(self, slots: Sequence[JobSlot]) -> None:
        """Submit a job for each slot; what Slurm refuses is noted in the slot. The first one speaks for all."""
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
                told, _ = await commands.ask(*command, text=self._script(slot.size), env=self._environment)
                slot.job_id = told.strip().splitlines()[-1].partition(";")[0]
                slot.submitted = time.time()
                slot.why = "Slurm has not looked at it yet"
                logger.info("Job %s is handed to Slurm as %s", slot.job_id, name)
            except IndexError:
                slot.refused = "Slurm did not return the job's number"
            except GPUClusterError as error:
                # One that was taken all the same, by a Slurm that did not answer in time, is found by its name.
                slot.refused, slot.silent = error.message.rstrip("."), isinstance(error, commands.SlurmSilent)
            if slot.refused is not None:
                logger.error("Slurm did not take the job %s: %s", name, slot.refused)

    async def cancel(self, ids: Iterable[str | None]) -> None:
        """End these jobs. Raises `SlurmSilent`."""
        told = [number for number in ids if number is not None]
        if told:
            with suppress(commands.SlurmRefused):  # Some may be over.
                await commands.ask("scancel", "--quiet", *told)


MOST_TRIES = 6  # Jobs that fail so often, one after the other, before any worker has come, will do so again.


class Tries:
    """Counts the times that jobs were asked for and could not start, since a worker last came."""

    def __init__(self) -> None:
        self._before = 0
        self.failed = False  # Whether those that were asked for last could not.

    @property
    def count(self) -> int:
        return self._before + self.failed

    def again(self) -> None:
        """Note that jobs are asked for."""
        self._before, self.failed = self.count, False
