"""The workers and clients of a cluster as its model lists them: connected ones, and workers that are starting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC
from typing import Any

from ..backends.deployment import Deployment, Slot, SlotState
from ..backends.scheduler.view import Failing
from ..protocol.messages import Message, MessageCode
from ..protocol.models import WorkerModel
from ..protocol.plain_text import counted, printable

MOST_FAILURES, LONGEST_ERROR, LONGEST_NAME = 3, 200, 60


def observed(deployment: Deployment, *, has_gpus: bool = False) -> dict[str, Any]:
    """Return the fields of the cluster's model that describe its workers and clients."""
    members = deployment.scheduler.members()
    workers = [
        WorkerModel(
            name=worker.name,
            address=worker.address,
            pid=worker.pid,
            n_threads=worker.n_threads,
            memory_limit_bytes=worker.memory_limit_bytes,
            device=deployment.device_of(worker.name),
        )
        for worker in members.workers
    ]
    workers.sort(key=lambda worker: (len(worker.name), worker.name))
    slots = deployment.slots()
    pending = [slot for slot in slots if slot.state is SlotState.PENDING]
    here = [slot for slot in slots if slot.state is SlotState.RUNNING]
    ends = [slot.ends for slot in here if slot.ends is not None]
    reasons = [slot.why for slot in pending if slot.why is not None]
    failures = members.failures[:MOST_FAILURES]
    return {
        "n_workers": len(workers),
        "n_pending": len(pending),
        "say": {
            MessageCode.PENDING: _waiting(_units(pending), _units([*pending, *here]), deployment.unit, reasons),
            MessageCode.TASKS_FAILED: [_failed(one, MessageCode.TASKS_FAILED) for one in failures if one.has_traceback],
            MessageCode.TASKS_KILLED: [
                _failed(one, MessageCode.TASKS_KILLED) for one in failures if not one.has_traceback
            ],
        },
        "workers": workers,
        "nodes": _nodes({worker.name for worker in workers}, here, "GPU" if has_gpus else "worker"),
        "ends_at": min(ends).astimezone(UTC).isoformat() if ends else None,
        "n_recomputing": members.n_recomputing,
        "n_clients": members.n_clients,
        "kernels": list(members.kernels),
    }


def _failed(failing: Failing, code: MessageCode) -> Message:
    error = printable(failing.error.partition("\n")[0], LONGEST_ERROR)
    text = f"{counted(failing.n_tasks, 'task')} failed in '{printable(failing.task, LONGEST_NAME)}': {error}"
    return Message.of(code, text, subject=failing.task)


def _units(slots: Sequence[Slot]) -> int:
    """Return the number of jobs, or pods, that these workers are."""
    return len({slot.comes_with or slot.name for slot in slots})


def _waiting(pending: int, wanted: int, unit: str, reasons: Sequence[str]) -> Message | None:
    """Return how many wait and the first reason; ``None`` while they are just starting."""
    if not reasons:
        return None
    verb = "waits" if pending == 1 else "wait"
    who = f"Its {unit} waits" if wanted == 1 else f"{pending} of {counted(wanted, unit)} {verb}"
    return Message.of(MessageCode.PENDING, reasons[0], subject=who)


def _nodes(here: set[str], slots: Sequence[Slot], unit: str) -> list[str]:
    """Return each known machine with the number of workers of the cluster, or GPUs, that it has."""
    on = Counter(slot.node for slot in slots if slot.node is not None and slot.name in here)
    return [f"{node}: {counted(number, unit)}" for node, number in on.items()]
