"""The verb ``history``: what cells and scripts computed, on all clusters."""

from __future__ import annotations

from argparse import Namespace

from pydantic import BaseModel

from ..client.control import Control
from ..client.display.card import amount_text
from ..client.history.reading import compare_history, read_history, sum_history
from ..protocol.cells import CellTasks, CellWork, History, HistorySums, WorkSum
from ..protocol.durations import seconds
from ..protocol.errors import InvalidRequest
from ..protocol.plain_text import counted
from ..protocol.sizes import format_size
from .arguments import whole_number
from .tables import cell_state, cells_table, labelled, local_time, one_line, table

LINES = 20


def history(control: Control, found: Namespace) -> tuple[BaseModel, str]:
    """List the history, show one piece of work in detail, compare two selections, show sums, or write a timeline."""
    registry = control.asynchronous.registry
    work, other = getattr(found, "work", None), getattr(found, "compare", None)
    lines = whole_number(getattr(found, "lines", str(LINES)), "--lines", 1, 10_000)
    by, path = getattr(found, "by", None), getattr(found, "perfetto", None)
    if by is not None and (other is not None or path is not None):
        raise InvalidRequest("--by cannot be combined with --compare or --perfetto.")
    if other is not None:
        if work is None:
            raise InvalidRequest("--compare: name both: 'history FIRST --compare SECOND'.")
        comparison = compare_history(registry, work, other)
        return comparison, comparison.text()
    if by is not None:
        sums = sum_history(registry, work, by)
        return HistorySums(sums=sums.sums[-lines:]), _summed(sums.sums[-lines:], by)
    every = read_history(registry, work).cells
    answer = History(cells=every[-lines:])
    text = _in_detail(every[0]) if work is not None and len(every) == 1 else _listed(answer)
    if path is not None:
        from ..profiling.perfetto import events_of_cells, write_trace

        file = write_trace(path, events_of_cells(answer.cells))
        text = f"The timeline of {counted(len(answer.cells), 'cell')} is in {file}. Open it in https://ui.perfetto.dev."
    return answer, text


def _listed(answer: History) -> str:
    if not answer.cells:
        return "No cell or script has used a cluster yet."
    return cells_table(answer.cells, everywhere=True)


def _summed(sums: list[WorkSum], by: str) -> str:
    rows = [
        (one_line(one.name), f"{one.n_runs:,}", seconds(one.seconds), f"{one.n_tasks:,}", seconds(one.compute_seconds),
         ", ".join(amount_text(amount, unit) for unit, amount in one.cost.items()))
        for one in sums
    ]  # fmt: skip
    return table([(by.upper(), "RUNS", "TOOK", "TASKS", "BUSY", "COST"), *rows])


def _in_detail(cell: CellWork) -> str:
    where, took = cell.where, cell.seconds
    lines = [("Cell", cell.name), ("Id", cell.key), ("Code", cell.code or ""), ("Began", local_time(cell.began))]
    lines += [("Took", "" if took is None else seconds(took)), ("State", cell_state(cell))]
    if where is not None:
        lines += [("Cluster", f"{where.cluster} ({where.kind}) on {where.host}"),
                  ("Versions", ", ".join(f"{name} {version}" for name, version in where.versions.items()))]  # fmt: skip
    lines += [
        ("Workers", "" if cell.n_workers is None else f"{cell.n_workers}, {counted(cell.n_threads or 0, 'thread')}"),
        ("Lost", counted(cell.n_lost_workers, "worker") if cell.n_lost_workers else ""),
        ("Computed", seconds(cell.total("compute_seconds"))),
        ("Cost", "" if cell.cost is None else amount_text(cell.cost, cell.cost_unit or "")),
        ("Waited", "" if cell.waiting_seconds is None else seconds(cell.waiting_seconds)),
        *((title, _size(getattr(cell, name))) for title, name in (
            ("Memory", "memory_peak_bytes"), ("GPU", "vram_peak_bytes"), ("Spilled", "spilled_peak_bytes"),
            ("Moved", "moved_bytes"),
        )),
    ]  # fmt: skip
    text = labelled(lines)
    if cell.groups:
        text += "\n\n" + table(
            [("TASKS", "NUMBER", "COMPUTED", "TRANSFERS", "RESULTS", "STATE"), *map(_row, cell.groups)]
        )
    if cell.workers:
        rows = [
            (one_line(one.name), _size(one.memory_bytes), _size(one.vram_bytes), _size(one.spilled_bytes))
            for one in cell.workers
        ]
        text += "\n\n" + table([("WORKER", "MEMORY", "GPU", "SPILLED"), *rows])
    return text


def _row(group: CellTasks) -> tuple[str, ...]:
    counts = ((group.n_failed, "failed"), (group.n_cancelled, "cancelled"))
    wrong = ", ".join(f"{number:,} {word}" for number, word in counts if number)
    return (
        one_line(group.name or "(others)"), f"{group.n_tasks:,}", f"{group.compute_seconds:.2f} s",
        f"{group.transfer_seconds:.2f} s", format_size(group.result_bytes),
        one_line(f"{wrong}: {group.error}" if group.error else wrong or "done"),
    )  # fmt: skip


def _size(size_bytes: int | None) -> str:
    return "" if not size_bytes else format_size(size_bytes)
