"""Data of the timeline: threads, transfers, and memory and utilization over time, all of bounded size."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from .model import TimelineBlock, TimelineData, TimelineLine, TimelineTransfer
from .recorders.tasks import SENT_THREADS
from .telemetry import TelemetryReadings

POINTS = 200
TRANSFERS = 400


def timeline_data(
    scheduler: dict[str, Any],
    workers: dict[str, dict[str, Any]],
    telemetry: TelemetryReadings | None,
    wall_seconds: float,
) -> TimelineData:
    begin = scheduler["begin"]
    names = {address: facts["name"] for address, facts in scheduler["workers"].items()}
    notes: list[str] = []
    lanes, blocks = _lanes_and_blocks(scheduler, begin, names)
    drawn, total = sum(block.n_tasks for block in blocks), scheduler["n_blocks"]
    if scheduler["n_lanes"] > len(lanes):
        notes.append(
            f"{len(lanes)} of {scheduler['n_lanes']} threads are drawn, chosen evenly from the busiest to the idlest "
            f"(at most {SENT_THREADS})."
        )
    if len(blocks) < drawn:
        notes.append(f"{drawn:,} of {total:,} tasks are drawn, short ones together, as {len(blocks):,} blocks.")
    transfers, count = _transfers(workers, begin, names)
    if count > len(transfers):
        notes.append(f"The {len(transfers)} largest of {count:,} transfers are drawn.")
    lines = _lines(workers, telemetry, begin, wall_seconds)
    return TimelineData(lanes=lanes, blocks=blocks, transfers=transfers, lines=lines, notes=notes)


def _lanes_and_blocks(
    scheduler: dict[str, Any], begin: float, names: dict[str, str]
) -> tuple[list[str], list[TimelineBlock]]:
    threads: dict[str, list[int]] = {}
    for worker, thread, *_ in scheduler["blocks"]:
        known = threads.setdefault(worker, [])
        if thread not in known:
            known.append(thread)
    names = {worker: names.get(worker, worker) for worker in threads}
    places: dict[tuple[str, int], int] = {}
    labels: list[str] = []
    for worker in sorted(threads, key=lambda worker: (len(names[worker]), names[worker])):
        for number, thread in enumerate(threads[worker], 1):
            places[worker, thread] = len(labels)
            name = names[worker]
            labels.append(f"{name} · {number}" if len(threads[worker]) > 1 else name)
    blocks = [
        TimelineBlock(
            lane=places[worker, thread],
            prefix=prefix,
            start_seconds=max(0.0, start - begin),
            stop_seconds=stop - begin,
            n_tasks=n_tasks,
            busy_seconds=busy,
        )
        for worker, thread, prefix, start, stop, n_tasks, busy in scheduler["blocks"]
    ]
    return labels, blocks


def _transfers(
    workers: dict[str, dict[str, Any]], begin: float, names: dict[str, str]
) -> tuple[list[TimelineTransfer], int]:
    found: list[TimelineTransfer] = []
    for address, worker in workers.items():
        for start, stop, size, source in worker["transfers"]:
            found.append(_transfer(start - begin, stop - begin, size, names.get(source, source), names[address]))
        for start, stop, size in worker["client_transfers"]:
            found.append(_transfer(start - begin, stop - begin, size, names[address], "notebook"))
    count = sum(worker["n_received"] or 0 for worker in workers.values())
    count += sum(len(worker["client_transfers"]) for worker in workers.values())
    found = [transfer for transfer in found if transfer.stop_seconds > 0]
    found.sort(key=lambda transfer: -transfer.n_bytes)
    return sorted(found[:TRANSFERS], key=lambda transfer: transfer.start_seconds), count


def _transfer(start: float, stop: float, size: int, source: str, target: str) -> TimelineTransfer:
    return TimelineTransfer(
        start_seconds=max(0.0, start), stop_seconds=stop, n_bytes=size, source=source, target=target
    )


def _lines(
    workers: dict[str, dict[str, Any]], telemetry: TelemetryReadings | None, begin: float, wall_seconds: float
) -> list[TimelineLine]:
    most = max((len(worker["readings"]["time"]) for worker in workers.values()), default=0)
    count = max(2, min(POINTS, most))
    grid = [place * wall_seconds / (count - 1) for place in range(count)]
    lines = []
    for name, figure, unit, total in (
        ("host memory", "memory", "bytes", True),
        ("VRAM", "vram_used", "bytes", True),
        ("CPU", "cpu", "percent", False),
        ("GPU", "gpu_utilization", "percent", False),
    ):
        values = _over_time(workers, figure, [begin + seconds for seconds in grid], total)
        if any(value is not None for value in values):
            lines.append(TimelineLine(name=name, unit=unit, seconds=grid, values=values))
    if telemetry is not None:
        rmm = [(moment - begin, used) for moment, used in telemetry.totals if used is not None]
        if rmm:
            seconds, used = zip(*rmm, strict=True)
            lines.append(TimelineLine(name="RMM used", unit="bytes", seconds=list(seconds), values=list(used)))
    return lines


def _over_time(
    workers: dict[str, dict[str, Any]], figure: str, moments: list[float], total: bool
) -> list[float | None]:
    """Return the sum or the mean of the workers' newest reading at each moment."""
    sums = [0.0] * len(moments)
    counts = [0] * len(moments)
    for worker in workers.values():
        times, values = worker["readings"]["time"], worker["readings"].get(figure)
        if not values or not times:
            continue
        for number, moment in enumerate(moments):
            place = bisect_right(times, moment) - 1
            if place < 0:
                continue
            # Utilization is that of the time before its reading.
            value = values[place] if total else values[min(place + 1, len(values) - 1)]
            if value is not None:
                sums[number] += value
                counts[number] += 1
    return [(value if total else value / count) if count else None for value, count in zip(sums, counts, strict=True)]
