"""Colours of the kinds of tasks: told apart on light and dark backgrounds, and by people who see few colours."""

from __future__ import annotations

from ..model import ReportFigures

# Okabe and Ito's set without its black and its yellow (unreadable on one background each), then mixtures.
_COLOURS = ("#0a84c6", "#e0861a", "#00a076", "#cc6ba0", "#d55e00", "#56a8d8", "#8a6fc8", "#8f9a1f")
OTHER = "#8a8a8a"
TRANSFER = "#d1344b"
LINE_COLOURS = {"host memory": "#0a84c6", "VRAM": "#76b900", "RMM used": "#cc6ba0", "CPU": "#e0861a", "GPU": "#00a076"}


def colours_of(report: ReportFigures) -> dict[str, str]:
    """Return a colour by prefix; the longest computing ones get their own, the rest share one."""
    drawn = {block.prefix for block in report.timeline_data.blocks}
    own = [prefix.prefix for prefix in report.prefixes if prefix.prefix in drawn][: len(_COLOURS)]
    found = dict(zip(own, _COLOURS, strict=False))
    return found | {prefix: OTHER for prefix in drawn if prefix not in found}


def legend_of(report: ReportFigures) -> list[tuple[str, str]]:
    """Return names and colours for a legend."""
    colours = colours_of(report)
    rows = [(prefix, colour) for prefix, colour in colours.items() if colour != OTHER]
    rest = sum(colour == OTHER for colour in colours.values())
    if rest:
        rows.append((f"{rest} more", OTHER))
    if report.timeline_data.transfers:
        rows.append(("transfers", TRANSFER))
    return rows
