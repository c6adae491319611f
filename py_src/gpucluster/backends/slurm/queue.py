"""Lists all jobs of the user with ``squeue``, at most every five seconds for any number of clusters.

The clusters' processes share the answers through a private file: one process queries, the others wait for its answer.
The file is on shared storage, so it also serves processes on several login nodes.

``end_jobs`` ends all jobs of a cluster, known by the prefix of their names, even after its supervisor's death.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from . import commands
from .jobs import FORMAT, Job, parse

INTERVAL_SECONDS = 5.0
CALM_SECONDS = 15.0  # Between two looks at the queue when all jobs run.
_WAIT_SECONDS = 0.1
_LONGEST_SECONDS = commands.PATIENCE_SECONDS + 5


@dataclass(frozen=True)
class Look:
    """The jobs in the queue at one time."""

    begun: float  # Wall-clock time; jobs submitted later may be missing.
    jobs: tuple[Job, ...]


async def all_jobs() -> Look:
    """Ask ``squeue`` now. Raises `SlurmSilent`, `SlurmRefused`."""
    return _read(await _ask())


async def _ask() -> str:
    begun = time.time()
    text, _ = await commands.ask("squeue", "--me", "--states=all", "--noheader", f"--format={FORMAT}")
    return json.dumps({"begun": begun, "text": text})


def _read(answer: str) -> Look:
    found = json.loads(answer)
    return Look(float(found["begun"]), tuple(parse(found["text"])))


class Queue:
    """The queue, looked at together with other processes of this user."""

    def __init__(self, folder: Path) -> None:
        which = "|".join(os.environ.get(name, "") for name in ("SLURM_CONF", "SLURM_CLUSTERS"))
        self._file = folder / f"queue-{hashlib.sha256(which.encode()).hexdigest()[:12]}"

    async def look(self) -> Look:
        """Return an answer from the last five seconds of any process, or query."""
        deadline = time.monotonic() + _LONGEST_SECONDS
        while time.monotonic() < deadline:
            found, held = await asyncio.to_thread(self._take)
            if found is not None:
                return found
            if held is not None:
                try:
                    answer = await _ask()
                    await asyncio.to_thread(self._write, answer)
                    return _read(answer)
                finally:
                    os.close(held)
            await asyncio.sleep(_WAIT_SECONDS)
        return await all_jobs()

    def _take(self) -> tuple[Look | None, int | None]:
        """Return a recent answer, or else a lock to query; neither, while another process queries."""
        try:
            held = os.open(self._file.with_suffix(".lock"), os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
        except OSError:
            return None, None
        with suppress(OSError, ValueError, KeyError, TypeError):
            found = _read(self._file.read_text())
            if 0 <= time.time() - found.begun < INTERVAL_SECONDS:
                os.close(held)
                return found, None
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(held)
            return None, None
        except OSError:
            pass  # Some shared file systems have no locks: then each process queries.
        return None, held

    def _write(self, answer: str) -> None:
        new = self._file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            with open(new, "w", opener=lambda path, flags: os.open(path, flags | os.O_NOFOLLOW, 0o600)) as file:
                file.write(answer)
            new.replace(self._file)


IN_FLIGHT_SECONDS = 1.0  # A job that was just being submitted is in the queue after this time.
LOOK_SECONDS = 0.2


async def end_jobs(names: str, patience: float) -> list[str]:
    """End all jobs whose names have this prefix; return their numbers.

    Raises `TimeoutError` (some are still there) or `SlurmSilent`, `SlurmRefused`.
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
        # Jobs that are ending already need not be waited for.
        if not [job for job in jobs if job.state != "COMPLETING"]:
            return list(ended)
        if time.monotonic() > deadline:
            raise TimeoutError(f"Slurm has not ended the jobs {', '.join(ended)}")
        await asyncio.sleep(LOOK_SECONDS)
