"""Gauges as lines of text, for terminals and wherever nothing can be drawn."""

from __future__ import annotations

from ..protocol.telemetry import TelemetrySample
from .bars import Bar, activity_line, cluster_bars, results_line, worker_bars

_BLOCKS = 24
_NAME_WIDTH = 12
_LONGEST_NAME = 40


def cluster_lines(sample: TelemetrySample) -> list[str]:
    """Return bars, load, tasks, and where spilled results are."""
    results = results_line(sample)
    lines = [*(_bar_line(bar.label, bar) for bar in cluster_bars(sample)), f"  {activity_line(sample)}"]
    return lines if results is None else [*lines, f"  Results: {results}"]


def worker_lines(sample: TelemetrySample, most: int) -> list[str]:
    """Return the bars of each worker, as many as fit into that many lines, and how many are left out.

    Nothing where there is only one, which is the whole cluster.
    """
    if len(sample.workers) < 2:
        return []
    lines: list[str] = []
    for place, worker in enumerate(sample.workers):
        bars = worker_bars(sample, place)
        named = f"Worker {plain(worker)}"
        added = [_bar_line(f"{named} {bar.label}" if len(bars) > 1 else named, bar) for bar in bars]
        is_last = place == len(sample.workers) - 1
        if len(lines) + len(added) + (not is_last) > most:
            return [*lines, f"  and {len(sample.workers) - place} more"]
        lines += added
    return lines


def moment_text(at: str) -> str:
    """Return a time for people."""
    return at[:19].replace("T", " ") + " UTC"


def plain(text: str) -> str:
    """Return a text of others without what a terminal would obey, and no longer than a name is."""
    shown = "".join(letter if letter.isprintable() else "�" for letter in text[: _LONGEST_NAME + 1])
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 1]}…"


def _bar_line(name: str, bar: Bar) -> str:
    if not bar.total_bytes:
        return f"  {name:<{_NAME_WIDTH}} {bar.text}"
    filled = round(_BLOCKS * min(1.0, bar.used_bytes / bar.total_bytes))
    return f"  {name:<{_NAME_WIDTH}} {'█' * filled}{'░' * (_BLOCKS - filled)} {bar.text}"
