"""Figures as pandas data frames; pandas is imported when one is requested."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from ..protocol.errors import refused_field
from ..protocol.recordings import RecordedSession
from ..protocol.telemetry import PrefixProgress, TelemetryHistory, TelemetrySample, WorkerHistory, totals

if TYPE_CHECKING:
    import pandas as pd

By: TypeAlias = Literal["cluster", "worker", "task"]
"""Subject of a row: all workers at a moment, one of them, or one kind of tasks."""

_COUNTED = "tasks_"
_KEYS: dict[By, list[str]] = {"cluster": ["time"], "worker": ["time", "worker"], "task": ["time", "prefix"]}


def history_frame(history: TelemetryHistory, by: By = "cluster") -> pd.DataFrame:
    """Return the last ten minutes of a cluster, one row per moment, for the cluster or each worker.

    Rows of many workers are further apart. Raises `InvalidRequest` for tasks, which only recordings have by kind.
    """
    if _checked(by) == "task":
        raise refused_field("by", "must be 'cluster' or 'worker' for a running cluster; record it to have its tasks")
    figures = history.model_dump(exclude={"id", "at", "seconds", "worker_seconds", "workers"})
    if by == "cluster":
        rows = [{"time": seconds, **_at(figures, place)} for place, seconds in enumerate(history.seconds)]
        return _frame(rows, by, list(figures), since=history.at)
    workers = {name: worker.model_dump(exclude_none=True) for name, worker in history.workers.items()}
    rows = [
        {"time": seconds, "worker": name, **row}
        for place, seconds in enumerate(history.worker_seconds)
        for name, worker in workers.items()
        # Without the time before a worker's start and after its end.
        if any((row := _at(worker, place))[figure] is not None for figure in worker)
    ]
    names = [name for name in WorkerHistory.model_fields if any(name in worker for worker in workers.values())]
    return _frame(rows, by, names, since=history.at)


def session_frame(session: RecordedSession, by: By = "cluster") -> pd.DataFrame:
    """Return the figures of a recording, one row per cluster, worker or kind of task."""
    making = {"cluster": _cluster_rows, "worker": _worker_rows, "task": _task_rows}[_checked(by)]
    rows = [{"time": sample.at, **row} for sample in session.samples for row in making(sample)]
    names = list(dict.fromkeys(name for row in rows for name in row if name not in _KEYS[by]))
    frame = _frame(rows, by, names)
    counts = [name for name in names if name.startswith(_COUNTED)]
    # No task in a state means 0, not a gap.
    frame[counts] = frame[counts].fillna(0)
    return frame


def _checked(by: By) -> By:
    if by not in get_args(By):
        raise refused_field("by", f"must be 'cluster', 'worker' or 'task', not {str(by)[:40]!r}")
    return by


def _at(columns: dict[str, Any], place: int) -> dict[str, Any]:
    return {name: values[place] if place < len(values) else None for name, values in columns.items()}


def _cluster_rows(sample: TelemetrySample) -> list[dict[str, Any]]:
    tasks = {f"{_COUNTED}{state.replace('-', '_')}": number for state, number in sample.tasks.items()}
    return [{"n_workers": len(sample.workers), **totals(_columns(sample)), **tasks}]


def _worker_rows(sample: TelemetrySample) -> list[dict[str, Any]]:
    columns = _columns(sample)
    return [{"worker": name, **_at(columns, place)} for place, name in enumerate(sample.workers)]


def _task_rows(sample: TelemetrySample) -> list[dict[str, Any]]:
    names = PrefixProgress.model_fields
    return [{name: getattr(progress, name) for name in names} for progress in sample.progress]


def _columns(sample: TelemetrySample) -> dict[str, list[Any]]:
    """Return the measured columns, with one entry per worker."""
    return {name: sample.column(name) for name in sample.column_names() if getattr(sample, name) is not None}


def _frame(rows: list[dict[str, Any]], by: By, names: list[str], since: str | None = None) -> pd.DataFrame:
    """Return rows as a frame. Figures are floats, so that a gap is ``NaN``, never zero; texts stay unchanged."""
    import pandas as pd

    frame = pd.DataFrame(rows, columns=[*_KEYS[by], *names])
    if since is None:
        frame["time"] = pd.to_datetime(frame["time"], utc=True, format="ISO8601")
    else:
        frame["time"] = pd.Timestamp(since) + pd.to_timedelta(frame["time"].astype(float), unit="s")
    texts = {name for row in rows for name, value in row.items() if isinstance(value, str)}
    kinds: dict[str, Any] = {name: "object" if name in texts else "float64" for name in names}
    return frame.astype(kinds).set_index(_KEYS[by])
