"""End all jobs of a cluster, known by the beginning of their names; also after its supervisor's death."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from . import commands
from .queue import all_jobs

IN_FLIGHT_SECONDS = 1.0
"""What somebody was just handing to Slurm is in the queue after so long."""
LOOK_SECONDS = 0.2


async def end_jobs(names: str, patience: float) -> list[str]:
    """End all jobs whose names begin so; returns their numbers. Used also by who knows nothing else of them.

    Raises
    ------
    TimeoutError
        Some are there yet.
    SlurmSilent, SlurmRefused
    """
    ended: dict[str, None] = {}
    deadline = time.monotonic() + patience
    while True:
        jobs = [job for job in (await all_jobs()).jobs if job.holds and job.name.startswith(names)]
        fresh = [job.id for job in jobs if job.id not in ended]
        if fresh:
            ended.update(dict.fromkeys(fresh))
            with suppress(commands.SlurmRefused):
                await commands.ask("scancel", "--quiet", *fresh)
        # Those that just end are out of anybody's hands, and need not be waited for.
        if not [job for job in jobs if job.state != "COMPLETING"]:
            return list(ended)
        if time.monotonic() > deadline:
            raise TimeoutError(f"Slurm has not ended the jobs {', '.join(ended)}")
        await asyncio.sleep(LOOK_SECONDS)
