"""The same work on clusters that differ in their transport only: messages of many sizes, and workloads, in turns.

A line is fitted to the times of the messages. The result is shown as text, and as an HTML page with a figure of the
fits.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import Field

from ..client.history.statistics import Spread, spread_of
from ..protocol.errors import GPUClusterError, InvalidRequest
from ..protocol.kinds import parse_spec
from ..protocol.plain_text import aligned
from . import messages
from .catalogue import SHUFFLE, workloads
from .errors import NothingToMeasure
from .machine import hosts_of, report
from .report import COLOURS, SHAPES, page, paragraphs, table
from .result import FrozenModel, HostFacts
from .running import Prepared, Say, prepared, require_same
from .target import Target, created
from .text import seconds_text, seconds_texts
from .workload import TRANSPORTS, Context, Size, Workload


class Messages(FrozenModel):
    """Blocks from worker to worker over one transport."""

    sizes: list[int] = Field(description="Bytes of each block.")
    seconds: list[float] = Field(description="One way, for each size: the median of all turns.")
    quartiles: list[tuple[float, float]] = Field(description="Lower and upper quartile of the turns, for each size.")
    latency_seconds: float = Field(description="α of the line α + β × size that fits the times best.")
    bytes_per_second: float = Field(description="1 / β of that line.")

    @classmethod
    def of(cls, sizes: Sequence[int], turns: Sequence[Sequence[float]]) -> Messages:
        """Return the medians of some turns, and the line that fits them."""
        spreads = [spread_of([turn[place] for turn in turns]) for place in range(len(sizes))]
        seconds = [spread.median for spread in spreads]
        latency, each = fitted(sizes, seconds)
        quartiles = [(spread.lower, spread.upper) for spread in spreads]
        return cls(
            sizes=list(sizes), seconds=seconds, quartiles=quartiles, latency_seconds=latency, bytes_per_second=1 / each
        )

    def line(self, size: float) -> float:
        return self.latency_seconds + size / self.bytes_per_second


def fitted(sizes: Sequence[int], seconds: Sequence[float]) -> tuple[float, float]:
    """Return α and β of the line with the smallest relative errors."""
    times = np.asarray(seconds)
    rows = np.stack([1 / times, np.asarray(sizes) / times], axis=1)
    (latency, each), *_ = np.linalg.lstsq(rows, np.ones(len(times)), rcond=None)
    return max(float(latency), 0.0), max(float(each), 1e-15)


class Timed(FrozenModel):
    """One workload over all transports."""

    workload: str
    title: str
    size: str
    seconds: dict[str, list[float]] = Field(description="Of each measured run, by transport.")

    def spread(self, transport: str) -> Spread:
        return spread_of(self.seconds[transport])


class TransportResult(FrozenModel):
    """The result of one comparison of transports."""

    format: Literal["transports-1"] = "transports-1"
    started_at: str
    wall_seconds: float
    n_workers: int
    n_repeats: int
    transports: list[str]
    messages: dict[str, Messages]
    workloads: list[Timed]
    hosts: list[HostFacts]
    versions: dict[str, str]
    notes: list[str] = Field(default_factory=list)

    def save(self, path: Path) -> None:
        path.write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")


N_WORKERS = 2


def compare_transports(
    transports: Sequence[str] = TRANSPORTS, *, size: Size = "small", repeats: int = 9, say: Say = lambda _: None
) -> TransportResult:
    """Measure messages and workloads over each transport, in turns.

    * `transports`: of ``unix``, ``tls``, ``tcp``, ``ucx`` and ``mpi``.
    * `repeats`: turns that count, after a warm-up turn.
    * `say`: shows one line of progress.

    Leaves out transports whose cluster cannot be started, with the reason in the notes. Raises `InvalidRequest` for an
    unknown transport, and `NothingToMeasure` where no cluster can be started.
    """
    for name in transports:
        if name not in TRANSPORTS:
            raise InvalidRequest(f"transports: unknown transport '{name[:40]}'. Available: {', '.join(TRANSPORTS)}.")
    started, at = time.perf_counter(), datetime.now(UTC).isoformat(timespec="seconds")
    notes: list[str] = []
    with _clusters(list(dict.fromkeys(transports)), notes, say) as targets:
        reports = {name: target.client.run(report) for name, target in targets.items()}
        turns = _messages(targets, repeats, say)
        compared = [*workloads(["transpose-sum", "merge", "kmeans"]), SHUFFLE]
        found = [_workload(workload, targets, size, repeats, say) for workload in compared]
        first, target = next(iter(reports.values())), next(iter(targets.values()))
        loads = {each["host"]: each["load"] for each in first.values()}
        return TransportResult(
            started_at=at, wall_seconds=time.perf_counter() - started, n_workers=N_WORKERS, n_repeats=repeats,
            transports=list(targets), messages=turns, workloads=found, hosts=hosts_of(first, target.workers, loads),
            versions=next(iter(first.values()))["versions"], notes=notes,
        )  # fmt: skip


@contextmanager
def _clusters(transports: list[str], notes: list[str], say: Say) -> Iterator[dict[str, Target]]:
    with ExitStack() as stack:
        found: dict[str, Target] = {}
        for name in transports:
            say(f"{name}: starting a cluster")
            options: dict[str, Any] = {"backend": _kind(name, transports), "protocol": name}
            try:
                spec = parse_spec({**options, "n_workers": N_WORKERS, "threads_per_worker": 1})
                found[name] = stack.enter_context(created(spec))
            except GPUClusterError as error:
                notes.append(f"Skipped: {name}: {error.message}")
        if not found:
            raise NothingToMeasure(" ".join(["No cluster could be started.", *notes]))
        notes += _note_on_kinds([name for name in transports if name in found], transports)
        yield found


def _kind(name: str, beside: list[str]) -> str:
    if name == "ucx":
        return "cuda"
    # Beside MPI, the workers of the others are also ranks: on the same hosts, which may be several.
    return "mpi" if "mpi" in beside and name != "unix" else "local"


def _note_on_kinds(found: list[str], transports: list[str]) -> list[str]:
    ranks = [name for name in found if _kind(name, transports) == "mpi"]
    others = [name for name in found if name not in ranks]
    if not ranks or not others:
        return []
    return [
        f"Over {' and '.join(ranks)} the workers are ranks of an MPI program, over {' and '.join(others)} of a cluster "
        "on this machine alone."
    ]


def _messages(targets: dict[str, Target], repeats: int, say: Say) -> dict[str, Messages]:
    turns: dict[str, list[list[float]]] = {name: [] for name in targets}
    for turn in range(repeats + 1):
        for name, target in targets.items():
            say(f"messages over {name}: run {turn} of {repeats}")
            seconds = messages.exchange(target.client)
            if turn:
                turns[name].append(seconds)
    return {name: Messages.of(messages.SIZES, each) for name, each in turns.items()}


def _workload(workload: Workload, targets: dict[str, Target], size: Size, repeats: int, say: Say) -> Timed:
    ready: dict[str, Prepared] = {}
    for name, target in targets.items():
        say(f"{workload.name} over {name}: generating the data")
        with target.client.as_current():
            ready[name] = prepared(workload, Context(target.client, N_WORKERS, 4 * N_WORKERS), size)
    checks = [one.check for one in ready.values()]
    for check in checks:
        require_same(workload, checks[0], check, "two transports")
    seconds: dict[str, list[float]] = {name: [] for name in targets}
    for turn in range(repeats):
        for name, one in ready.items():
            say(f"{workload.name} over {name}: run {turn + 1} of {repeats}")
            with targets[name].client.as_current():
                seconds[name].append(one.seconds())
    return Timed(workload=workload.name, title=workload.title, size=size, seconds=seconds)


_NOTE = (
    "Each point is the median time to send a block from one worker to another. Each line is the fit α + β × size with "
    "the smallest relative error: α is the latency, 1/β the bandwidth. Both scales are logarithmic; an empty block is "
    "drawn as one byte."
)


def rows(result: TransportResult) -> list[tuple[str, ...]]:
    """Return the table, its head first: a column for each transport, and one unit in each row."""
    names = result.transports
    found: list[tuple[str, ...]] = [("WORK", *(name.upper() for name in names))]
    measured = [result.messages[name] for name in names]
    found.append(("latency α", *seconds_texts([one.latency_seconds for one in measured])))
    found.append(("bandwidth 1/β", *(_gigabytes(one) for one in measured)))
    for place, size in enumerate(measured[0].sizes):
        times = seconds_texts([one.seconds[place] for one in measured], [one.quartiles[place] for one in measured])
        found.append((f"a block of {_round(size)}" if size else "an empty message", *times))
    for workload in result.workloads:
        spreads = [workload.spread(name) for name in names]
        times = seconds_texts([one.median for one in spreads], [(one.lower, one.upper) for one in spreads])
        found.append((f"{workload.workload} ({workload.size})", *times))
    return found


def _round(size: int) -> str:
    """Return a size in decimal units."""
    unit, factor = next((pair for pair in (("MB", 10**6), ("kB", 10**3)) if size >= pair[1]), ("bytes", 1))
    return f"{size / factor:g} {unit}"


def _gigabytes(one: Messages) -> str:
    return f"{one.bytes_per_second / 1e9:.2f} GB/s"


def facts(result: TransportResult) -> list[str]:
    lines = [
        f"{result.n_workers} workers with 1 thread each; medians (and quartiles) of {result.n_repeats} turns, "
        f"{result.started_at}"
    ]
    for host in result.hosts:
        load = "" if host.load_before is None else f", load before {host.load_before:.1f}"
        lines.append(f"{host.count} × {host.cpu_model or 'unknown CPU'}, {host.cpus} CPUs{load}")
    return lines


def text(result: TransportResult) -> str:
    return "\n".join([*facts(result), "", aligned(rows(result)), *([""] if result.notes else []), *result.notes])


def picture(result: TransportResult) -> Any:
    from bokeh.models.annotations import Legend, LegendItem
    from bokeh.plotting import figure

    made = figure(
        width=900, height=460, x_axis_type="log", y_axis_type="log", toolbar_location=None,
        title="Seconds of a block from worker to worker, by its bytes",
    )  # fmt: skip
    items = []
    for place, name in enumerate(result.transports):
        one = result.messages[name]
        colour = COLOURS[place % len(COLOURS)]
        x = [max(1, size) for size in one.sizes]
        line: Any = made.line(x, [one.line(size) for size in one.sizes], color=colour, line_width=2, alpha=0.7)
        dots: Any = made.scatter(x, one.seconds, color=colour, marker=SHAPES[place % len(SHAPES)], size=8)
        label = f"{name}: {seconds_text(one.latency_seconds)}, {_gigabytes(one)}"
        items.append(LegendItem(label=label, renderers=[line, dots]))
    made.add_layout(Legend(items=items, click_policy="hide", border_line_color=None), "right")
    made.xaxis.axis_label, made.yaxis.axis_label = "bytes", "seconds"
    return made


def write_page(result: TransportResult, path: Path) -> None:
    text = page(
        f"Transports: {', '.join(result.transports)}",
        facts(result),
        [("Latency and bandwidth", _NOTE, [picture(result)])],
        table(rows(result), numbers=set(range(1, 1 + len(result.transports)))),
        paragraphs(result.notes),
        [("NAME", "VERSION"), *result.versions.items()],
    )
    path.write_text(text, encoding="utf-8")
