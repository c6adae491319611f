"""One running MPI program: its start, its output, and its end with all processes that it started here.

Ranks on other machines end automatically with their input.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from ...operating_system.contained import KILL_SECONDS, contained
from ...operating_system.processes import descriptor_of
from ...protocol.plain_text import printable
from ..following import lines_of
from .rank import EVENT
from .worker import BROKEN, FAILED

MARK = "GPUCLUSTER_MPI_CLUSTER"  # This variable marks all processes of a cluster.
PATIENCE_SECONDS = 4.0


def scratch_name(cluster_id: str) -> str:
    """Return the prefix of the private folders of a cluster's ranks."""
    return f"gpucluster-{cluster_id}"


def end_processes(cluster_id: str) -> int:
    """Kill all processes of a cluster on this machine; return their number."""
    ended: set[psutil.Process] = set()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while found := _marked(cluster_id):
        if time.monotonic() > deadline:
            raise RuntimeError("Some processes of the MPI program do not exit")
        ended.update(found)
        for process in found:
            with suppress(psutil.Error):
                process.kill()
        time.sleep(0.02)
    return len(ended)


def _marked(cluster_id: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if (
                process.pid != os.getpid()
                and process.uids().real == os.getuid()
                and process.environ().get(MARK) == cluster_id
                and process.status() != psutil.STATUS_ZOMBIE
            ):
                found.append(process)
    return found


def remove_scratch(cluster_id: str, local_directory: str | None) -> None:
    """Delete the folders that ranks left on this machine."""
    for top in {tempfile.gettempdir(), os.environ.get("SLURM_TMPDIR"), local_directory} - {None}:
        for path in Path(str(top)).glob(f"{scratch_name(cluster_id)}-*"):
            with suppress(OSError):
                if not path.is_symlink() and path.lstat().st_uid == os.getuid():
                    shutil.rmtree(path, ignore_errors=True)


logger = logging.getLogger("gpucluster.workers")

GRACE_SECONDS = 1.5  # Time for a launcher to end after a signal.
END_SECONDS = GRACE_SECONDS + KILL_SECONDS + 1.0
KEPT_LINES = 40
_RANK = re.compile(r"rank (\d+|\?): ?(.*)", re.DOTALL)
_NOISE = re.compile(r"=.*|[-\s*]*|YOUR APPLICATION TERMINATED.*|This typically refers to.*|Please see the FAQ.*", re.I)
"""What launchers print at every end."""
_SIGNAL = re.compile(r"\bsignal (?P<number>\d+)")
_SIGNAL_OF_RANK = re.compile(
    r"process rank (?P<rank>\d+) .*exited on signal (?P<number>\d+)"  # Open MPI
    r"|task (?P<task>\d+): Killed"  # Slurm
)
_ABORT = re.compile(
    r"Abort\((?P<code>-?\d+)\) on node \d+ \(rank (?P<rank>\d+) in comm \S+\): (?P<why>.*)"  # MPICH, Intel MPI
    r"|MPI_ABORT was invoked on rank (?P<other>\d+) "  # Open MPI
)


class Program:
    """The ranks of one cluster, from one start of the launcher to its end. Made by ``start``."""

    def __init__(self, process: asyncio.subprocess.Process, name: str, message: Mapping[str, Any]) -> None:
        self._process = process
        self._name = name
        self._cluster_id: str = message["id"]
        self._local_directory: str | None = message["local_directory"]
        self._ending = False
        self._lines: list[str] = []
        self._has_ranks = False
        self._failure: str | None = None
        self._first_end: str | None = None
        self._watchers = Watchers()
        self._killed_by: int | None = None
        self.over: str | None = None  # Why, as the end of a sentence without a full stop; ``None`` while it runs.
        self._following = asyncio.create_task(self._follow())

    @classmethod
    async def start(
        cls, command: Sequence[str], environment: Mapping[str, str], message: Mapping[str, Any], name: str
    ) -> Program:
        """Start the launcher, and pass it the message to all ranks, which is secret, by its input. Raises `OSError`."""
        process = await asyncio.create_subprocess_exec(
            *contained(*command, seconds=GRACE_SECONDS),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**environment, MARK: message["id"]},
            start_new_session=True,
        )
        assert process.stdin is not None
        # It stays open: the ranks end when it does.
        process.stdin.write(json.dumps(message).encode() + b"\n")
        return cls(process, name, message)

    async def wait(self) -> None:
        """Wait until it is over, and none of its processes is left on this machine."""
        await asyncio.shield(self._following)

    async def end(self, why: str = "it was stopped") -> None:
        """End it, in bounded time."""
        if self.over is None and not self._ending:
            self._ending = True
            self._first_end = self._first_end or why
            assert self._process.stdin is not None
            self._process.stdin.close()
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(self.wait(), END_SECONDS)
        if self.over is None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self.wait()

    # -- following it ----------------------------------------------------------------------------

    async def _follow(self) -> None:
        reading = asyncio.create_task(self._read())
        status = await self._process.wait()
        # Processes that tasks started may hold the pipe open until they are ended here.
        await asyncio.to_thread(self._clean)
        with suppress(TimeoutError):
            await asyncio.wait_for(reading, 1.0)
        self.over = self._why(status)
        self._watchers.close()

    def _clean(self) -> None:
        end_processes(self._cluster_id)
        remove_scratch(self._cluster_id, self._local_directory)

    async def _read(self) -> None:
        """Read its output, always: it would block when the pipe is full."""
        async for line in lines_of(self._process.stdout):
            self._handle(line)

    def _handle(self, line: str) -> None:
        found = _RANK.fullmatch(line)
        if found is None:
            self._note_signal(line)
            self._note_abort(line)
            if self._ending or _NOISE.fullmatch(line):
                return  # Launchers report each end as an error.
            self._lines = [*self._lines[1 - KEPT_LINES :], line]
            logger.info("%s: %s", self._name, line)
            return
        self._has_ranks = True
        rank, text = found.groups()
        if text.startswith(EVENT):
            with suppress(ValueError, KeyError, TypeError):
                self._handle_event(rank, json.loads(text.removeprefix(EVENT)))
            return
        if text.startswith((FAILED, BROKEN)):
            self._failure = self._failure or f"rank {rank} {text}"
        self._note_abort(text, rank)
        logger.info("%s", line)

    def _note_signal(self, line: str) -> None:
        """Note a launcher's message about a signal, which may name the rank."""
        if self._ending:
            return
        if (found := _SIGNAL.search(line)) is not None:
            self._killed_by = self._killed_by or int(found["number"])
        if self._first_end is None and (found := _SIGNAL_OF_RANK.search(line)) is not None:
            self._first_end = _end_of(found["rank"] or found["task"], -int(found["number"] or signal.SIGKILL))

    def _note_abort(self, line: str, rank: str = "?") -> None:
        """Note a message of MPI about a rank that called ``MPI_Abort``, or that MPI ended because of an error."""
        if self._ending or self._first_end is not None or (found := _ABORT.search(line)) is None:
            return
        rank = found["rank"] or found["other"] if rank == "?" else rank
        if found["rank"] is None or found["why"].startswith("application called"):
            code = f"({found['code']})" if found["code"] else ""
            self._first_end = f"rank {rank} called MPI_Abort{code}"
        else:
            self._first_end = f"MPI ended rank {rank}: {printable(found['why'], 300).rstrip('.')}"

    def _handle_event(self, rank: str, event: dict[str, Any]) -> None:
        if "watcher" in event:
            self._watchers.watch(rank, int(event["watcher"]), str(event["host"]))
        elif "stopped" in event:
            why = f"rank {rank} did not continue for {float(event['stopped']):.0f} seconds after it was stopped"
            self._first_end = self._first_end or why
        else:
            status = int(event["status"])
            if self._first_end is None and not self._ending:
                self._first_end = _end_of(rank, status)

    def _why(self, status: int) -> str:
        if self._ending:
            return self._first_end or "it was stopped"
        if self._failure is not None:
            return printable(self._failure, 400).rstrip(".")
        if self._first_end is not None:
            return self._first_end
        if self._killed_by is not None and self._watchers.first_gone is not None and status >= 0:
            return _end_of(self._watchers.first_gone, -self._killed_by)
        why = f"{self._name} ended with status {status}"
        if status < 0:
            why = f"{self._name} was killed by signal {-status}"
        elif status == 0 and not self._has_ranks:
            why = f"{self._name} started no rank (do launcher_options name another program?)"
        line = _error_line(self._lines)
        return f"{why}: {line}" if line else f"{why} and printed nothing"


def _end_of(rank: str, status: int) -> str:
    how = f"ended with status {status}"
    if status < 0:
        with suppress(ValueError):
            how = f"was killed by {signal.Signals(-status).name}"
    return f"rank {rank} {how}"


def _error_line(lines: Sequence[str]) -> str | None:
    """Return the line that best explains a failure, without a full stop."""
    worth = [line.strip() for line in lines if line.strip() and not _NOISE.fullmatch(line)]
    for line in worth:
        if re.search(r"error|fail|unable|not found|no such|not enough|unrecogni[sz]ed|invalid|requested", line, re.I):
            return printable(line, 300).rstrip(".")
    return printable(worth[-1], 300).rstrip(".") if worth else None


class Watchers:
    """The outer processes of the ranks on this host, each of which reports how its rank ended.

    One that is killed cannot report. The order in which they end shows which one was killed first, so that the launcher
    ended the others.
    """

    def __init__(self) -> None:
        self.first_gone: str | None = None  # The rank whose process was the first to end.
        self._descriptors: dict[int, str] = {}

    def watch(self, rank: str, pid: int, host: str) -> None:
        descriptor = descriptor_of(pid) if host == socket.gethostname() else None
        if descriptor is not None:
            self._descriptors[descriptor] = rank
            asyncio.get_running_loop().add_reader(descriptor, self._gone, descriptor)

    def _gone(self, descriptor: int) -> None:
        self.first_gone = self.first_gone or self._descriptors[descriptor]
        self._forget(descriptor)

    def _forget(self, descriptor: int) -> None:
        asyncio.get_running_loop().remove_reader(descriptor)
        del self._descriptors[descriptor]
        os.close(descriptor)

    def close(self) -> None:
        for descriptor in list(self._descriptors):
            self._forget(descriptor)
