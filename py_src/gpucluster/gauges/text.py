"""Gauges as lines of text, for terminals and other places without graphics."""

from __future__ import annotations

from collections.abc import Sequence

from ..protocol.plain_text import printable
from ..protocol.telemetry import TelemetrySample
from .bars import Bar
from .figures import cluster_figures, worker_figures, worker_title
from .sentences import device_trouble, sentences
from .units import percent_text

_BLOCKS = 24
_NAME_WIDTH = 12
_LONGEST_SENTENCE = 200


def cluster_lines(sample: TelemetrySample) -> list[str]:
    """Return bars and their parts, load, tasks, unreadable GPUs, and locations of spilled results."""
    bars = _aligned([(bar.label, _bar_text(bar)) for bar in cluster_figures(sample).bars])
    return bars + [f"  {sentence}" for sentence in sentences(sample)]


def worker_lines(sample: TelemetrySample, most: int, places: Sequence[int] | None = None) -> list[str]:
    """Return the bars of the workers, or of those at these places, in at most ``most`` lines, and how many are omitted.

    Nothing if there is only one, which is the whole cluster.
    """
    if len(sample.workers) < 2:
        return []
    wanted = range(len(sample.workers)) if places is None else places
    rows: list[tuple[str, str]] = []
    shown = 0
    for place in wanted:
        added = _worker_rows(sample, place, worker_title(sample, place))
        is_last = shown == len(sample.workers) - 1
        if len(rows) + len(added) + (not is_last) > most:
            break
        rows += added
        shown += 1
    left_out = len(sample.workers) - shown
    return _aligned(rows) + ([f"  and {left_out} more"] if left_out else [])


def moment_text(at: str) -> str:
    return at[:19].replace("T", " ") + " UTC"


def _bar_text(bar: Bar) -> str:
    parts = f": {bar.sentence}" if bar.sentence else ""
    if not bar.total_bytes:
        return f"{bar.text}{parts}"
    filled = round(_BLOCKS * min(1.0, bar.used_bytes / bar.total_bytes))
    return f"{'█' * filled}{'░' * (_BLOCKS - filled)} {bar.text}{parts}"


def _worker_rows(sample: TelemetrySample, place: int, named: str) -> list[tuple[str, str]]:
    figures = worker_figures(sample, place)
    bars = figures.bars
    rows = [(f"{named} {bar.label}" if len(bars) > 1 else named, _bar_text(bar)) for bar in bars]
    trouble = device_trouble(sample, place)
    if trouble is not None:
        return [(f"{named} GPU", printable(trouble, _LONGEST_SENTENCE)), *rows]
    return rows if figures.gpu is None else [(f"{named} GPU", f"{percent_text(figures.gpu)} busy"), *rows]


def _aligned(rows: list[tuple[str, str]]) -> list[str]:
    width = max([_NAME_WIDTH, *(len(name) for name, _ in rows)])
    return [f"  {name:<{width}} {text}" for name, text in rows]
