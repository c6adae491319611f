"""Clusters as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from ..client.display.card import cost_text, network_text, pending_text, progress_line
from ..client.starting.capacity import ListedPreset
from ..gauges.figures import duration_text
from ..protocol.cells import CellWork
from ..protocol.kinds import KindModel, kind_title
from ..protocol.messages import Message, MessageCode
from ..protocol.models import ClusterModel, GPUSlot
from ..protocol.plain_text import aligned, counted, printable
from ..protocol.sizes import format_size
from ..protocol.telemetry import Activity


def cluster_table(models: Sequence[ClusterModel]) -> str:
    """Return a table of clusters, one per line; with their ids if several have the same name."""
    if not models:
        return "No clusters. Start one with 'create'."
    with_ids = len({model.name for model in models}) < len(models)
    rows = [("NAME", "ID", "KIND", "STATE", "WORKERS", "AGE", "NOTE")]
    rows += [
        (
            model.name,
            model.id if with_ids else "",
            one_line(model.backend_title or kind_title(model.backend)),
            model.state.value,
            workers(model),
            duration_text(seconds_since(model.created_at)),
            note(model),
        )
        for model in models
    ]
    return table(rows)


def cluster_card(model: ClusterModel) -> str:
    kind = one_line(model.backend_title or kind_title(model.backend))
    lines = [
        ("Name", model.name), ("Id", model.id), ("State", model.state.value),
        ("Doing", _step(model)), ("Notice", model.notice), ("Reason", model.reason),
        ("Kind", f"{kind}: {model.backend_reason}" if model.backend_reason else kind),
    ]  # fmt: skip
    if model.lease is not None:
        lines.append(("Lease", f"of a {model.lease.scope}, ends with it; held by {model.lease.holder}"))
    if not model.state.ended:
        lines += _lines_while_alive(model)
    lines += [
        ("Cost", cost_text(model)),
        ("Address", model.scheduler_address),
        ("Network", network_text(model) if model.scheduler_address else None),
    ]
    if not model.state.ended:
        lines += [("Warning", warning) for warning in model.warnings]
        lines += [("Clients", str(model.n_clients)), ("Idle", _idle(model))]
    lines += [
        ("Python", model.python),
        ("Process", None if model.pid is None else str(model.pid)),
        ("Created", f"{model.created_at} ({duration_text(seconds_since(model.created_at))} ago)"),
        ("Ended", model.ended_at),
    ]
    text = labelled(lines)
    if model.log_tail:
        text += "\n\nEnd of the log:\n" + "\n".join(f"  {one_line(line)}" for line in model.log_tail)
    return text


def _lines_while_alive(model: ClusterModel) -> list[tuple[str, str | None]]:
    ends = f"in {duration_text(max(0.0, -seconds_since(model.ends_at)))}" if model.ends_at else None
    return [
        ("Workers", f"{workers(model)}{_each(model)}"),
        ("Pending", pending_text(model) if model.n_pending else None),
        *(("GPU", slot_text(slot)) for slot in model.slots),
        ("Nodes", "; ".join(model.nodes)),
        ("Jobs end", f"the first {ends}") if ends and model.nodes else ("Ends", ends),
        *(("Note", note) for note in model.notes),
        *(("Message", message_text(message)) for message in model.said(MessageCode.MESSAGE)[-3:]),
    ]


def labelled(lines: Iterable[tuple[str, str | None]]) -> str:
    """Return lines with a label each, without those that have no value."""
    return "\n".join(f"{label + ':':<10}{one_line(value)}" for label, value in lines if value)


def _step(model: ClusterModel) -> str:
    return progress_line(model).removeprefix(f"{model.name}: ") if model.progress is not None else ""


def slot_text(slot: GPUSlot) -> str:
    """Describe a GPU, or a slot of one, that a cluster has."""
    which = f"GPU {slot.index}" if slot.index is not None else slot.uuid
    size = f", {format_size(slot.memory_bytes)}" if slot.memory_bytes else ""
    return one_line(f"{which}, {slot.label}{size}")


def message_text(message: Message) -> str:
    """Return an instructor's message with its author and age."""
    ago = duration_text(max(0.0, seconds_since(message.time or "")))
    return one_line(f"{message.text} (instructor {message.subject}, {ago} ago)")


def activity_table(activity: Activity) -> str:
    """Return the activity of a cluster, one entry per line, in local time."""
    if not activity.entries:
        return "Nothing was recorded about this cluster."
    rows = [("TIME", "WHO", "WHAT")]
    rows += [(local_time(entry.at), entry.by or "", one_line(entry.message)) for entry in activity.entries]
    return table(rows)


def cells_table(cells: Sequence[CellWork], *, everywhere: bool = False) -> str:
    """Return what cells computed, one a line, in local time; `everywhere`: with their ids and clusters."""
    if not cells:
        return "No cell has used this cluster yet."
    rows = [("ID", "CLUSTER", "CELL", "BEGAN", "TOOK", "TASKS", "BUSY", "MEMORY", "MOVED", "STATE", "CODE")]
    rows += [
        (
            cell.key if everywhere else "",
            one_line(cell.where.cluster) if everywhere and cell.where is not None else "",
            one_line(cell.name),
            local_time(cell.began),
            duration_text(seconds_between(cell.began, cell.ended)),
            f"{int(cell.total('n_tasks')):,}",
            duration_text(cell.total("compute_seconds")),
            _most_memory(cell),
            "" if cell.moved_bytes is None else format_size(cell.moved_bytes),
            cell_state(cell),
            one_line(cell.code or ""),
        )
        for cell in cells
    ]
    return table(rows)


def cell_state(cell: CellWork) -> str:
    """Return how far it is, and what went wrong."""
    wrong = [f"{int(number):,} {word}" for word in ("failed", "cancelled") if (number := cell.total(f"n_{word}"))]
    if cell.lost:
        return ", ".join(["cluster ended", *wrong])
    if cell.ended is None:
        done, running = (int(cell.total(figure)) for figure in ("n_done", "n_running"))
        return ", ".join([f"{done:,} done", f"{running:,} running", *wrong])
    return ", ".join(wrong) or "done"


def _most_memory(cell: CellWork) -> str:
    if cell.vram_peak_bytes:
        return f"{format_size(cell.vram_peak_bytes)} GPU"
    return "" if cell.memory_peak_bytes is None else format_size(cell.memory_peak_bytes)


def presets_table(presets: Sequence[ListedPreset]) -> str:
    """Return the presets, one per line, with a description or why one cannot be used here."""
    return table([("PRESET", "KIND", "HERE", "WHAT"), *(
        (
            preset.name,
            one_line(kind_title(str(preset.spec.get("backend", "auto")))),
            "no" if preset.problem else "yes",
            one_line(preset.problem or preset.description),
        )
        for preset in presets
    )])  # fmt: skip


def kinds_table(kinds: Sequence[KindModel]) -> str:
    """Return the kinds of clusters, one per line, with a description or why one cannot be used here."""
    return table([("KIND", "WHERE", "HERE", "WHAT"), *(
        (kind.name, one_line(kind.where), "no" if kind.problem else "yes", one_line(kind.problem or kind.description))
        for kind in kinds
    )])  # fmt: skip


def workers(model: ClusterModel) -> str:
    """Return the number of workers, with the wanted one if it differs."""
    if model.wanted.adapt is not None:
        return f"{model.n_workers} ({model.wanted.adapt.minimum} to {model.wanted.adapt.maximum})"
    wanted = model.wanted.n_workers
    if wanted is not None and wanted != model.n_workers and not model.state.ended:
        return f"{model.n_workers} of {wanted}"
    return str(model.n_workers)


def worker_line(model: ClusterModel) -> str:
    line = f"{model.name}: {counted(model.n_workers, 'worker')}"
    if model.wanted.adapt is not None:
        line += f", {model.wanted.adapt.minimum} to {model.wanted.adapt.maximum} depending on the load"
    elif model.wanted.n_workers not in {None, model.n_workers}:
        line += f", {model.wanted.n_workers} wanted"
    if model.n_pending and model.pending_reason and not model.state.ended:
        line += f", {one_line(model.waiting or f'{model.n_pending} pending: {model.pending_reason}')}"
    return line


def ending(model: ClusterModel) -> str:
    """Return the final state of a cluster that was stopped, with the reason if there is one."""
    return f"{model.name}: {model.state.value}" + (f". {one_line(model.reason)}" if model.reason else "")


def note(model: ClusterModel) -> str:
    """Return the note of a cluster in the list: a problem, a step, or when it will stop."""
    if model.notice or model.reason:
        return _short(one_line(model.notice or model.reason or ""))
    if model.n_pending and model.pending_reason and not model.state.ended:
        return _short(one_line(model.waiting or f"{model.n_pending} pending: {model.pending_reason}"))
    if model.progress is not None:
        return _step(model)
    if model.idle.stops_at and not model.state.ended:
        return f"idle, stops in {duration_text(-seconds_since(model.idle.stops_at))}"
    return ""


def _short(text: str) -> str:
    return text if len(text) <= 70 else text[:69] + "…"


WIDEST_COLUMN, WIDEST_LAST_COLUMN = 48, 400  # Names may have any length; a wide last column moves no other.


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows with aligned columns of bounded width, without columns that are empty below their heading."""
    columns = [column for column in zip(*rows, strict=True) if any(column[1:])]
    columns = [tuple(printable(cell, WIDEST_COLUMN) for cell in column) for column in columns[:-1]] + [
        tuple(printable(cell, WIDEST_LAST_COLUMN) for cell in column) for column in columns[-1:]
    ]
    return aligned(list(zip(*columns, strict=True)))


def seconds_since(time: str) -> float:
    """Return the seconds since a UTC ISO time; negative: in the future."""
    then = datetime.fromisoformat(time)
    return (datetime.now(UTC) - (then if then.tzinfo else then.replace(tzinfo=UTC))).total_seconds()


def seconds_between(began: str, ended: str | None) -> float:
    """Return the seconds from one moment to another; without another one to now."""
    return max(0.0, seconds_since(began) - (0.0 if ended is None else seconds_since(ended)))


def local_time(time: str) -> str:
    return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def one_line(text: str) -> str:
    """Return the text without line breaks and other control characters."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()


def _each(model: ClusterModel) -> str:
    if not model.workers:
        return ""
    first = model.workers[0]
    limit = f", {format_size(first.memory_limit_bytes)} of host memory" if first.memory_limit_bytes else ""
    return f", each with {counted(first.n_threads, 'thread')}{limit}"


def _idle(model: ClusterModel) -> str:
    if model.idle.timeout_seconds is None:
        return "runs until it is stopped"
    limit = duration_text(model.idle.timeout_seconds)
    if model.idle.stops_at:
        return f"stops in {duration_text(-seconds_since(model.idle.stops_at))} unless it is used"
    return f"stops when idle for {limit}"
