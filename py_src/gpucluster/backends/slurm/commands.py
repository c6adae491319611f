"""Slurm's own commands, run with a timeout and explained error messages, and the jobs of this user in the queue.

Jobs are listed with ``squeue`` at most every five seconds for any number of clusters. The clusters' processes share the
answers through a private file: one process queries, the others wait for its answer. The file is on shared storage, so
it also serves processes on several login nodes.

``end_jobs`` ends all jobs of a cluster, known by the prefix of their names, even after its supervisor's death.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import os
import re
import signal
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ...protocol.errors import PreflightFailed, StartFailed
from ...protocol.plain_text import printable
from ...protocol.traits import Needs
from .spec import SlurmSpec

NEEDS = Needs(
    commands=("sbatch", "squeue", "scancel", "sinfo"),
    packages=("dask_jobqueue",),
    extra="slurm",
    absent="Slurm is not available here",
    advice="Start Jupyter on a login node or in a job of the site, perhaps after 'module load slurm'.",
)
PATIENCE_SECONDS = 20.0  # If the controller is down, commands hang for nine seconds before they report it.
_OF_SITE = ("SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_CLUSTERS", "SLURM_TIME_FORMAT")
_DEFAULTS = {
    "SBATCH_ACCOUNT": "account", "SBATCH_PARTITION": "partition", "SBATCH_QOS": "qos",
    "SBATCH_CONSTRAINT": "constraint", "SBATCH_RESERVATION": None, "SBATCH_CLUSTERS": None,
}  # fmt: skip
"""Defaults that users set, and the field that overrides each. Other SBATCH_* variables would override the script."""
_SILENT = re.compile(
    r"unable to contact slurm controller|connection refused|timed out|socket timed out|communication connection failure"
    r"|munge|slurm_persist|zero bytes were transmitted|establish (a )?configuration source",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"^(sbatch|squeue|scancel|sinfo|scontrol|slurm_\w+|allocation failure)(: (error|fatal))?: ?")
_LIMIT = re.compile(r"(QOS|Assoc)\w+")
_NO_SUCH_NODE = r"node configuration is not available"
_HINTS = (
    (r"invalid partition", "partition: Slurm has no such partition, or you may not use it"),
    (r"invalid account", "account: Slurm does not accept this account with this partition"),
    (r"invalid qos", "qos: Slurm does not accept this quality of service with this account and partition"),
    (r"invalid feature", "constraint: no node has these features"),
    (r"memory specification", "memory_limit: no node has that much memory"),
    (_NO_SUCH_NODE, "no node has what one job requests: cores, memory, GPUs or their type"),
    (r"invalid generic resource", "gpu_type: Slurm has no such GPUs"),
    (r"violates accounting/qos policy", "Slurm's limits for you, your account or the QOS do not allow it"),
    (r"time limit", "walltime: it is more than the partition, the account or the QOS allows"),
    (r"access/permission denied|user not allowed", "Slurm does not allow that"),
    (r"slurm temporarily unable to accept job", "Slurm accepts no jobs at the moment; try again later"),
)  # fmt: skip


class SlurmSilent(StartFailed):
    """Slurm does not respond."""


class SlurmRefused(StartFailed):
    """Slurm refuses a request; the message has no full stop at its end."""


class NoSuchNode(SlurmRefused):
    """No node that is usable now has what a job requests."""


_OF_COMMANDS = {"PATH", "HOME", "USER", "LOGNAME", "LD_LIBRARY_PATH", "SLURM_CONF"}


def require_slurm() -> None:
    """Refuse where Slurm's commands are not installed. Raises `PreflightFailed`."""
    if (missing := NEEDS.missing(packages=False)) is not None:
        raise PreflightFailed(missing)


def environment(fields: Collection[str] = (), without: Collection[str] = ()) -> dict[str, str]:
    """Return the environment of Slurm's commands, and so of the jobs.

    `fields`: fields of the spec that are set and override defaults from the environment. `without`: variables to
    leave out because jobs get them in another way; not those that the commands need themselves.
    """
    kept = {}
    for name, value in os.environ.items():
        if name in without and name not in _OF_COMMANDS:
            continue
        if name.startswith("SBATCH_"):
            if name not in _DEFAULTS or _DEFAULTS[name] in fields:
                continue
        elif name.startswith(("SQUEUE_", "SINFO_", "SCANCEL_", "SACCTMGR_")):
            continue
        elif name.startswith(("SLURM_", "SRUN_", "SLURMD_")) and name not in _OF_SITE:
            continue  # Of the job that this process is in: its memory and tasks are not those of our jobs.
        kept[name] = value
    return {**kept, "LC_ALL": "C", "SLURM_TIME_FORMAT": "standard"}


def environment_of(spec: SlurmSpec) -> dict[str, str]:
    given = {name for name in ("account", "partition", "qos", "constraint") if getattr(spec, name) is not None}
    return environment(given, without=spec.env or ())


async def ask(
    *command: str, text: str | None = None, env: dict[str, str] | None = None, patience: float = PATIENCE_SECONDS
) -> tuple[str, str]:
    """Run a command of Slurm; return its output and its error messages."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL if text is None else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment() if env is None else env,
            start_new_session=True,
        )
    except OSError as error:
        raise SlurmSilent(f"Slurm's command '{command[0]}' cannot be run ({error.strerror}).") from error
    try:
        given = None if text is None else text.encode()
        out, err = await asyncio.wait_for(process.communicate(given), patience)
    except BaseException as error:
        # Sites have wrappers around the commands: what those started is ended, too.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        if not isinstance(error, TimeoutError):
            raise
        raise SlurmSilent(
            f"Slurm does not respond: '{command[0]}' took more than {patience:.0f} seconds. Try again later."
        ) from None
    output, messages = out.decode(errors="replace"), err.decode(errors="replace")
    if process.returncode != 0:
        if _SILENT.search(messages):
            raise SlurmSilent("Slurm's controller does not respond. Try again later, or ask the administrators.")
        kind = NoSuchNode if re.search(_NO_SUCH_NODE, messages, re.IGNORECASE) else SlurmRefused
        raise kind(refusal(messages or output))
    return output, messages


def refusal(messages: str) -> str:
    """Return why Slurm refused something, without a full stop: a hint, and its own message."""
    lines = [_PREFIX.sub("", line.strip()) for line in messages.splitlines() if line.strip()]
    limit = next((line for line in lines if _LIMIT.fullmatch(line)), None)
    # The last line of a mistyped option is 'Try "sbatch --help" for more information'.
    reasons = [line for line in lines if not line.startswith("Try ")]
    words = limit or next(iter(reasons[::-1]), "without a reason")
    own = printable(words.removeprefix("Batch job submission failed: "), 200).rstrip(".")
    for pattern, hint in _HINTS:
        if re.search(pattern, messages, re.IGNORECASE):
            return f"{hint} (Slurm: {own})"
    return f"Slurm rejected the job: {own}"


FORMAT = "%i|%T|%r|%S|%e|%N|%j|%k"  # Name and comment last: those of other jobs may contain anything.
_WAITING = frozenset({
    "PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD", "POWER_UP_NODE",
})  # fmt: skip
_RUNNING = frozenset({"RUNNING", "CONFIGURING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "RESIZING"})
_TOO_BIG = re.compile(r"exceeded (job |step )?memory limit|\boom[ -]kill|out-of-memory|out of memory")
"""Without cgroups, Slurm reports this only in the job's output."""
_CANCELLED = re.compile(r"\*\*\* (job|step) \S+ on \S+ cancelled at \S+ \*\*\*")
"""What a cancelled job prints; its script may then end with a failure."""
_NODES = re.compile(r"([^,\[\]]+)(?:\[([\d,-]+)\])?([^,\[\]]*)")
_WHY_WAITING = {
    "None": "Slurm has not considered it yet",
    "PartitionTimeLimit": "PartitionTimeLimit: the walltime is more than the partition allows",
    "PartitionNodeLimit": "PartitionNodeLimit: the partition does not have what it requests",
    "PartitionDown": "PartitionDown: the partition accepts no jobs now",
    "JobHeldUser": "JobHeldUser: a user holds it; 'scontrol release' releases it",
    "JobHeldAdmin": "JobHeldAdmin: an administrator holds it",
    "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions": (
        "its nodes are down, drained, or kept for jobs of a higher priority"
    ),
    "BeginTime": "BeginTime: Slurm has requeued it and will retry soon",
}


@dataclass(frozen=True)
class Job:
    """One job, at the time of a look."""

    id: str
    state: str
    reason: str
    starts: datetime | None  # When it started, or is expected to; in the site's local time, as from Slurm.
    ends: datetime | None  # When its time limit is over, or when it ended.
    nodes: str
    name: str
    comment: str = ""

    @property
    def waits(self) -> bool:
        return self.state in _WAITING

    @property
    def runs(self) -> bool:
        return self.state in _RUNNING

    @property
    def over(self) -> bool:
        """Whether it has ended, or is ending."""
        return not self.waits and not self.runs

    @property
    def holds(self) -> bool:
        """Whether it can be cancelled, or must be waited for."""
        return not self.over or self.state == "COMPLETING"

    def why_it_waits(self, now: datetime) -> str:
        """Return Slurm's reason, and when it is expected to start, without a full stop."""
        if self.runs:
            return f"its job has started on {self.nodes}" if self.nodes else "its job has started"
        why = _WHY_WAITING.get(self.reason, printable(self.reason, 100))
        return why if self.starts is None or self.starts <= now else f"{why}, expected {clock(self.starts, now)}"

    def how_it_ended(self, walltime: str, memory: str | None, error_line: str | None) -> str:
        """Return why it is over, without a full stop."""
        node = self.nodes or "a node"
        limit = f" of {memory}" if memory else ""
        too_big = (
            f"Slurm ended its job on {node}: it used more memory than its limit{limit}; request more with memory_limit"
        )
        known = {
            "OUT_OF_MEMORY": too_big,
            "TIMEOUT": f"it reached its walltime of {walltime}",
            "NODE_FAIL": f"its node failed ({node})",
            "BOOT_FAIL": f"its node could not be started ({node})",
            "PREEMPTED": f"it was preempted by more urgent jobs on {node}",
            "CANCELLED": f"its job {self.id} was cancelled",
            "DEADLINE": "its job could not start before its deadline",
            "REVOKED": "its job was taken over by another cluster of the site",
        }
        if self.state in known:
            return known[self.state]
        words = (error_line or "").lower()
        if _TOO_BIG.search(words):
            return too_big
        if _CANCELLED.search(words):
            return known["CANCELLED"]
        printed = f": {error_line}" if error_line else ""
        if self.state == "COMPLETED":
            return f"its job {self.id} has ended on {node}{printed}"
        reason = "" if self.reason in {"None", "NonZeroExitCode"} else f" ({self.reason})"
        return f"its job {self.id} failed on {node}{reason}{printed}"


def clock(at: datetime, now: datetime) -> str:
    """Return a time for users: ``14:20``, or ``24 Nov 14:20`` on another day."""
    return f"{at:%H:%M}" if at.date() == now.date() else f"{at.day} {at:%b %H:%M}"


def node_names(listed: str) -> list[str]:
    """Return the nodes of a list in Slurm's notation: ``a1``, ``a[1-3,07-08]``, ``a1,b[2-3]``."""
    found = []
    for name, numbers, rest in _NODES.findall(listed):
        for part in numbers.split(",") if numbers else [""]:
            first, _, last = part.partition("-")
            each = range(int(first), int(last) + 1) if last else [first]
            found += [f"{name}{number:0{len(first)}}{rest}" if last else f"{name}{number}{rest}" for number in each]
    return found


def parse(text: str) -> list[Job]:
    """Return the jobs of an answer of ``squeue`` in ``FORMAT``."""
    found = []
    for line in text.splitlines():
        parts = line.split("|", 7)
        if len(parts) == 8:
            number, state, reason, starts, ends, nodes, name, comment = parts
            comment = "" if comment == "(null)" else comment
            found.append(Job(number, state, reason.strip("()"), _time(starts), _time(ends), nodes, name, comment))
    return found


def _time(text: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None


INTERVAL_SECONDS = 5.0
CALM_SECONDS = 15.0  # Between two looks at the queue when all jobs run.
_WAIT_SECONDS = 0.1
_LONGEST_SECONDS = PATIENCE_SECONDS + 5


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
    text, _ = await ask("squeue", "--me", "--states=all", "--noheader", f"--format={FORMAT}")
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
    """End all jobs with this prefix; return their numbers. Raises `TimeoutError`, `SlurmSilent` or `SlurmRefused`."""
    ended: dict[str, None] = {}
    deadline = time.monotonic() + patience
    while True:
        jobs = [job for job in (await all_jobs()).jobs if job.holds and job.name.startswith(names)]
        fresh = [job.id for job in jobs if job.id not in ended]
        if fresh:
            ended.update(dict.fromkeys(fresh))
            with suppress(SlurmRefused):
                await ask("scancel", "--quiet", *fresh)
        # Jobs that are ending already need not be waited for.
        if not [job for job in jobs if job.state != "COMPLETING"]:
            return list(ended)
        if time.monotonic() > deadline:
            raise TimeoutError(f"Slurm has not ended the jobs {', '.join(ended)}")
        await asyncio.sleep(LOOK_SECONDS)
