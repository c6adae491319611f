"""Reports have the colours of the theme around them, even in BokehJS (tests/browser/test_profile.py)."""

from __future__ import annotations

import re

import pytest
from gpucluster.profiling.measurement import ProfileReport
from gpucluster.profiling.model import Finding, PrefixFigures, TimelineBlock, TimelineData, TimelineLine, WorkerFigures
from gpucluster.profiling.rendering.display import live_timeline
from gpucluster.profiling.rendering.text import report_html
from gpucluster.profiling.rendering.timeline import FOREGROUND

REPORT = ProfileReport(
    complete=True,
    cluster="lab",
    wall_seconds=2.0,
    n_tasks=1,
    findings=[Finding(rule="fine", title="No bottleneck found", evidence="All is well.", advice="Go on.")],
    prefixes=[PrefixFigures(prefix="inc", n_tasks=1, compute_seconds=1.0)],
    workers=[WorkerFigures(name="0", n_threads=1, n_tasks=1, busy_seconds=1.0, idle_share=0.5)],
    notes=["Something was not measured."],
    timeline_data=TimelineData(
        lanes=["0"],
        blocks=[TimelineBlock(lane=0, prefix="inc", start_seconds=0.0, stop_seconds=1.0, busy_seconds=1.0)],
        lines=[TimelineLine(name="CPU", unit="percent", seconds=[0.0, 2.0], values=[10.0, 90.0])],
    ),
)


@pytest.mark.parametrize("html", [REPORT._repr_html_(), report_html(REPORT, timeline=live_timeline(REPORT))])
def test_no_text_has_a_colour_of_its_own(html: str) -> None:
    painted, _, scripts = html.partition("<script")
    # Only the legend's squares and the blocks differ by colour; text does not.
    assert set(re.findall(r"(?<![-\w])color:\s*([^;\"]+)", painted)) == {"var(--jp-content-font-color1, inherit)"}
    texts = re.findall(r"<text [^>]*>", painted)
    assert texts and all('fill="currentColor"' in text for text in texts)
    if scripts:
        assert FOREGROUND in scripts and "MutationObserver" in scripts
        assert not re.findall(r'_color": ?"#0{6}"', scripts)
