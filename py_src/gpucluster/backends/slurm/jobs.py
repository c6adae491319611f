"""Jobs as listed by ``squeue``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ...protocol.plain_text import printable

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
    "JobHeldAdmin": "JobHeldAdmin: those who run the site hold it",
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
            return f"its job has begun on {self.nodes}" if self.nodes else "its job has begun"
        why = _WHY_WAITING.get(self.reason, printable(self.reason, 100))
        return why if self.starts is None or self.starts <= now else f"{why}, expected {clock(self.starts, now)}"

    def how_it_ended(self, walltime: str, memory: str | None, error_line: str | None) -> str:
        """Return why it is over, without a full stop."""
        node = self.nodes or "a node"
        limit = f" of {memory}" if memory else ""
        too_big = (
            f"Slurm ended its job on {node}: it used more memory than its limit{limit}; ask for more with memory_limit"
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
