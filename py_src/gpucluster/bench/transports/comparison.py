"""Start a cluster for each transport, and measure them in turns."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import Field

from ...client.history.statistics import Spread, spread_of
from ...protocol.errors import GPUClusterError, InvalidRequest
from ...protocol.kinds import parse_spec
from ..errors import NothingToMeasure
from ..frames import SHUFFLE
from ..machine import hosts_of, report
from ..names import TRANSPORTS, Size
from ..result import FrozenModel, HostFacts
from ..target import Target, created
from ..timing import Prepared, Say, prepared, require_same
from ..workload import Context, Workload
from . import messages


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
        """Return the seconds of a size by the fitted line."""
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
    seconds: dict[str, list[float]] = Field(description="Of each run that counts, by transport.")

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


def compared_workloads() -> list[Workload]:
    from ..catalogue import workloads

    return [*workloads(["transpose-sum", "merge", "kmeans"]), SHUFFLE]


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
            raise InvalidRequest(f"transports: there is no '{name[:40]}'. Available: {', '.join(TRANSPORTS)}.")
    started, at = time.perf_counter(), datetime.now(UTC).isoformat(timespec="seconds")
    notes: list[str] = []
    with _clusters(list(dict.fromkeys(transports)), notes, say) as targets:
        reports = {name: target.client.run(report) for name, target in targets.items()}
        turns = _messages(targets, repeats, say)
        found = [_workload(workload, targets, size, repeats, say) for workload in compared_workloads()]
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
                notes.append(f"Left out: {name}: {error.message}")
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
    """Return a note on the kinds of clusters, if there are two."""
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
        say(f"{workload.name} over {name}: making the data")
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
