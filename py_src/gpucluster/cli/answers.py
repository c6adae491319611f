"""Verbs with a simple answer: a model for ``--json``, and a text, for the shell and the magic."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, TypeVar

from pydantic import BaseModel

from ..client.control import Control
from ..client.starting.capacity import kinds_here, presets_here
from ..gauges.figures import percent_text, size_text
from ..protocol.cells import Cells
from ..protocol.models import ClusterModel, DeviceModel, DeviceProcess, HostDevices, Submission
from ..protocol.plain_text import aligned, printable
from ..protocol.workers import worker_title
from . import actions, tables
from .history import history

_LONGEST = 60
_INDENT = "  "


def devices_text(host: HostDevices) -> str:
    blocks = [_block(device, _title(device, host.devices)) for device in host.devices]
    return "\n\n".join([host.message, *blocks])


def process_tree(processes: Sequence[DeviceProcess]) -> Iterator[tuple[int, DeviceProcess, bool]]:
    """Yield each process, its depth, and whether others are below; largest first, as in ``devicerow.tsx``."""
    pids = {process.pid for process in processes}
    below: dict[int | None, list[DeviceProcess]] = {}
    for process in processes:
        parent = process.parent_pid if process.parent_pid in pids else None
        below.setdefault(parent, []).append(process)

    def placed(parent: int | None, depth: int) -> Iterator[tuple[int, DeviceProcess, bool]]:
        for process in sorted(below.get(parent, ()), key=lambda one: (-(one.tree_memory_bytes or -1), one.pid)):
            yield depth, process, process.pid in below
            yield from placed(process.pid, depth + 1)

    yield from placed(None, 0)


def _title(device: DeviceModel, devices: Sequence[DeviceModel]) -> str:
    if device.index is not None or device.parent_uuid is None:
        return f"GPU {device.index}"
    slices = [one.uuid for one in devices if one.parent_uuid == device.parent_uuid]
    parent = next((one.index for one in devices if one.uuid == device.parent_uuid), None)
    return f"MIG {'' if parent is None else parent}.{slices.index(device.uuid)}"


def _block(device: DeviceModel, title: str) -> str:
    facts = [
        _memory(device),
        None if device.memory_reserved_bytes is None else f"{size_text(device.memory_reserved_bytes)} reserved",
        None if device.utilization_percent is None else f"load {percent_text(device.utilization_percent)}",
        "divided into slices" if device.mig_enabled else None,
        None if device.visible else "hidden by CUDA_VISIBLE_DEVICES",
    ]
    lines = [
        _INDENT.join(filter(None, [title, device.name, device.uuid])),
        _INDENT + " · ".join(filter(None, facts)),
        _INDENT + printable(device.error or "", 200),
        *_processes(device),
    ]
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _memory(device: DeviceModel) -> str | None:
    used, total = device.memory_used_bytes, device.memory_total_bytes
    if used is None:
        return None
    of = f" of {size_text(total)}" if total else ""
    return f"{size_text(used)}{of} used{_share(used, total)}"


def _share(part: int, total: int | None) -> str:
    return f" ({percent_text(100 * part / total)})" if total else ""


def _processes(device: DeviceModel) -> list[str]:
    rows = []
    for depth, process, sums in process_tree(device.processes):
        owner = _INDENT * (depth + 2) + _owner(process, device.index)
        rows.append((owner, _sizes(process, device, sums=sums), f"pid {process.pid}"))
    return aligned(rows).splitlines()


def _sizes(process: DeviceProcess, device: DeviceModel, *, sums: bool) -> str:
    used, total = process.memory_used_bytes, process.tree_memory_bytes
    text = "not measured" if used is None else f"{size_text(used)}{_share(used, device.memory_total_bytes)}"
    return f"{text}, {size_text(total)} including its child processes" if sums and total is not None else text


def _owner(process: DeviceProcess, device_index: int | None) -> str:
    """Return the owner, as in the panel (``labextension/src/host/devicerow.tsx``)."""
    program = printable(process.command or "process", _LONGEST)
    cluster, notebook = printable(process.cluster or "", _LONGEST), process.notebook
    if process.role == "outside":
        return "process outside this container"
    if process.role == "kernel":
        return _end(notebook or program)
    if process.role == "worker":
        return f"{worker_title(process.worker or '', device_index)} of {cluster}"
    if process.role == "child":
        return f"{program} of {cluster or _end(notebook or '')}"
    if process.cluster is not None:
        return f"cluster {cluster}"
    return program if process.user is None else f"{program} of {printable(process.user, _LONGEST)}"


def _end(path: str) -> str:
    shown = printable(path, 400)
    return shown if len(shown) <= _LONGEST else f"…{shown[1 - _LONGEST :]}"


Answer: TypeAlias = tuple[BaseModel | Sequence[BaseModel], str]
T = TypeVar("T", bound=BaseModel | Sequence[BaseModel])


def _with_text(value: T, text: Callable[[T], str]) -> tuple[T, str]:
    return value, text(value)


def _cells(answer: Cells) -> str:
    return tables.cells_table(answer.cells)


def _script(answer: Submission) -> str:
    return (answer.text or "").rstrip()


def _remove(control: Control, found: Namespace) -> Answer:
    removed = actions.remove(control, found)
    return removed if len(removed) != 1 else removed[0], _removed(removed)


def _removed(models: Sequence[ClusterModel]) -> str:
    return "\n".join(f"{model.name}: removed" for model in models) or "Nothing to remove."


ANSWERS: dict[str, Callable[[Control, Namespace], Answer]] = {
    "list": lambda control, _: _with_text(control.list(), tables.cluster_table),
    "status": lambda control, found: _with_text(actions.named(control, found), tables.cluster_card),
    "activity": lambda control, found: _with_text(actions.activity(control, found), tables.activity_table),
    "cells": lambda control, found: _with_text(actions.cells(control, found), _cells),
    "history": history,
    "script": lambda control, found: _with_text(actions.script(control, found), _script),
    "remove": _remove,
    "clean": lambda control, _: _with_text(actions.clean(control), _removed),
    "devices": lambda control, _: _with_text(actions.devices(control), devices_text),
    "kinds": lambda *_: _with_text(kinds_here(), tables.kinds_table),
    "presets": lambda *_: _with_text(presets_here(), tables.presets_table),
}
