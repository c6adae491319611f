"""Timelines as Chrome trace events, which https://ui.perfetto.dev and ``chrome://tracing`` open.

A process of the trace is a heading, a thread a row. Slices of one row do not overlap, except one inside another.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from ..protocol.cells import CellWork
from ..protocol.errors import InvalidRequest
from .files import checked_path
from .model import ReportFigures

Slice: TypeAlias = tuple[str, float, float, dict[str, Any]]
"""Name, start and end in seconds, and what is shown when it is selected."""


def write_trace(path: str | Path, events: Sequence[dict[str, Any]]) -> Path:
    """Write a trace; a name without an ending gets ``.json``. Raises `InvalidRequest`."""
    found = checked_path(path, "--perfetto", ".json")
    assert found is not None
    try:
        found.write_text(json.dumps({"traceEvents": events, "displayTimeUnit": "ms"}), encoding="utf-8")
    except OSError as error:
        raise InvalidRequest(f"--perfetto: {found} could not be written: {error.strerror or error}.") from error
    return found


def events_of_cells(cells: Sequence[CellWork]) -> list[dict[str, Any]]:
    """Return the events of pieces of work: each with its groups of tasks, from the first task to the last."""
    places: dict[tuple[str, str], list[CellWork]] = {}
    for cell in cells:
        whose = cell.client if cell.by_time else cell.notebook_name or "notebook"
        places.setdefault((cell.where.cluster if cell.where is not None else "", whose), []).append(cell)
    events: list[dict[str, Any]] = []
    for process, ((cluster, whose), works) in enumerate(places.items(), 1):
        whole = [(work.name, *_span(work), _facts(work)) for work in works]
        groups = [
            (group.name or "others", begin + group.first_seconds, begin + max(group.first_seconds, group.last_seconds),
             group.model_dump(exclude={"name"}, exclude_defaults=True))
            for work in works for begin in [_span(work)[0]] for group in work.groups
            if group.first_seconds is not None and group.last_seconds is not None
        ]  # fmt: skip
        events.append(_title("process_name", process, 0, f"{whose} on {cluster}" if cluster else whose))
        n_rows = _add_rows(events, process, 1, "cells", whole)
        _add_rows(events, process, 1 + n_rows, "tasks", groups)
    return events


def events_of_profile(report: ReportFigures) -> list[dict[str, Any]]:
    """Return the events of a profile: tasks by thread, transfers, memory and utilization."""
    data = report.timeline_data
    events = [_title("process_name", 1, 0, f"threads of {report.cluster or 'the cluster'}")]
    for row, lane in enumerate(data.lanes, 1):
        events.append(_title("thread_name", 1, row, lane))
    events += [
        _slice(1, block.lane + 1, (block.prefix, block.start_seconds, block.stop_seconds,
                                   {"tasks": block.n_tasks, "busy_seconds": block.busy_seconds}))
        for block in data.blocks
    ]  # fmt: skip
    events.append(_title("process_name", 2, 0, "transfers"))
    _add_rows(events, 2, 1, "transfers", [
        (f"{one.source} → {one.target}", one.start_seconds, one.stop_seconds, {"bytes": one.n_bytes})
        for one in data.transfers
    ])  # fmt: skip
    for line in data.lines:
        events += [
            {"ph": "C", "pid": 1, "name": f"{line.name} ({line.unit})", "ts": _micro(second), "args": {"value": value}}
            for second, value in zip(line.seconds, line.values, strict=True)
            if value is not None
        ]
    return events


def _span(work: CellWork) -> tuple[float, float]:
    begin = datetime.fromisoformat(work.began).timestamp()
    return begin, begin + work.seconds if work.seconds is not None else datetime.now(UTC).timestamp()


def _facts(work: CellWork) -> dict[str, Any]:
    shown = work.model_dump(exclude={"groups", "workers", "where"}, exclude_none=True)
    return shown | (work.where.model_dump() if work.where is not None else {})


def _add_rows(events: list[dict[str, Any]], process: int, first: int, title: str, slices: Iterable[Slice]) -> int:
    """Add slices to as few rows as have room; return the number of rows."""
    ends: list[float] = []
    for one in sorted(slices, key=lambda item: item[1]):
        row = next((row for row, end in enumerate(ends) if end <= one[1]), len(ends))
        if row == len(ends):
            ends.append(0.0)
            events.append(_title("thread_name", process, first + row, title))
        ends[row] = one[2]
        events.append(_slice(process, first + row, one))
    return len(ends)


def _slice(process: int, row: int, one: Slice) -> dict[str, Any]:
    name, start, end, facts = one
    begin = _micro(start)
    return {"ph": "X", "pid": process, "tid": row, "name": name, "ts": begin, "dur": max(0, _micro(end) - begin),
            "args": facts}  # fmt: skip


def _title(kind: str, process: int, row: int, text: str) -> dict[str, Any]:
    return {"ph": "M", "pid": process, "tid": row, "name": kind, "args": {"name": text}}


def _micro(seconds: float) -> int:
    return round(seconds * 1e6)
