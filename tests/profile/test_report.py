"""A report's timeline is bounded, keeps all totals, is written as Chrome trace events, and has the theme's colours."""

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from gpucluster.profiling.measurement import ProfileReport
from gpucluster.profiling.model import (
    Finding,
    PrefixFigures,
    TimelineBlock,
    TimelineData,
    TimelineLine,
    TimelineTransfer,
    WorkerFigures,
)
from gpucluster.profiling.perfetto import events_of_cells, write_trace
from gpucluster.profiling.recorders.tasks import HELD_BLOCKS, Block, TaskSums, bounded, covered_seconds, spread
from gpucluster.profiling.rendering.display import live_timeline
from gpucluster.profiling.rendering.text import report_html
from gpucluster.profiling.rendering.timeline import FOREGROUND, timeline_svg
from gpucluster.protocol.errors import InvalidRequest
from hypothesis import given
from hypothesis import strategies as st

from tests.client.test_comparing import cell, tasks

moments = st.floats(0, 100, allow_nan=False)
blocks = st.builds(
    lambda worker, thread, prefix, start, duration: Block(worker, thread, prefix, start, start + duration, 1, duration),
    st.sampled_from("ab"), st.integers(0, 2), st.sampled_from(["inc", "sum"]), moments, st.floats(0, 10),
)  # fmt: skip


@given(st.lists(blocks, max_size=60), st.integers(1, 20))
def test_joining_blocks_loses_no_task_and_no_second(found: list[Block], budget: int) -> None:
    kept = bounded(found, budget)
    lanes = {(block.worker, block.thread) for block in found}
    assert len(kept) <= 2 * (budget + len(lanes))
    assert sum(block.n_tasks for block in kept) == len(found)
    assert sum(block.busy_seconds for block in kept) == pytest.approx(sum(block.busy_seconds for block in found))
    assert {(block.worker, block.thread) for block in kept} == lanes
    assert kept == sorted(kept, key=lambda block: block.start)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 10)), max_size=20))
def test_covered_time(found: list[tuple[int, int]]) -> None:
    intervals = [(float(start), float(start + length)) for start, length in found]
    seconds = {second for start, length in found for second in range(start, start + length)}
    assert covered_seconds(intervals) == len(seconds)


@given(st.dictionaries(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), st.floats(0, 9)), st.integers(1, 8))
def test_threads_are_chosen_evenly(busy: dict[tuple[str, int], float], most: int) -> None:
    chosen = spread(busy, most)
    assert len(chosen) == len(set(chosen)) == min(most, len(busy))
    if busy:
        assert busy[chosen[0]] == max(busy.values())
    if len(chosen) > 1:
        assert busy[chosen[-1]] == min(busy.values())


def test_scheduler_keeps_a_bounded_number() -> None:
    sums = TaskSums(0.0)
    for number in range(2 * HELD_BLOCKS):
        step = {"action": "compute", "start": number * 0.001, "stop": number * 0.001 + 0.0005}
        sums.add(f"kind-{number % 3}", False, {"worker": f"w{number % 200}", "thread": 1, "startstops": [step]})
    found = sums.collect()
    assert len(found["blocks"]) < 5000
    assert found["n_blocks"] == 2 * HELD_BLOCKS
    assert found["n_lanes"] == 200
    assert len({(worker, thread) for worker, thread, *_ in found["blocks"]}) == 48
    assert sum(entry["n_tasks"] for entry in found["prefixes"].values()) == 2 * HELD_BLOCKS
    assert sum(entry["compute_seconds"] for entry in found["prefixes"].values()) == pytest.approx(HELD_BLOCKS * 0.001)


def test_coroutines_that_overlap_are_bounded_too() -> None:
    sums = TaskSums(0.0)
    for _ in range(3 * HELD_BLOCKS):
        step = {"action": "compute", "start": 1.0, "stop": 2.0}
        sums.add("wait", False, {"worker": "w", "thread": 1, "startstops": [step]})
    assert len(sums._blocks) <= HELD_BLOCKS
    found = sums.collect()
    assert len(found["blocks"]) < 5000 and found["n_blocks"] == 3 * HELD_BLOCKS


HOSTILE = "</script><img src=x onerror=alert(1)>"


def drawn(**changes: Any) -> ProfileReport:
    data: dict[str, Any] = {
        "lanes": ["0", f"{HOSTILE}"],
        "blocks": [
            TimelineBlock(lane=number % 2, prefix=HOSTILE if number % 2 else "inc", start_seconds=number / 100,
                          stop_seconds=number / 100 + 0.009, busy_seconds=0.009)
            for number in range(2000)
        ],
        "transfers": [
            TimelineTransfer(start_seconds=1.0, stop_seconds=2.0, n_bytes=10**6, source="0", target=HOSTILE)
        ],
        "lines": [
            TimelineLine(name="host memory", unit="bytes", seconds=[0.0, 20.0], values=[None, 10**9]),
            TimelineLine(name="GPU", unit="percent", seconds=[0.0, 20.0], values=[50.0, 100.0]),
        ],
    }  # fmt: skip
    return ProfileReport(
        complete=True, cluster=HOSTILE, wall_seconds=20.0, n_tasks=2000, n_threads=2, compute_seconds=18.0,
        prefixes=[PrefixFigures(prefix="inc", n_tasks=1000, compute_seconds=9.0)],
        timeline_data=TimelineData(**(data | changes)), failures={HOSTILE: HOSTILE}, notes=[HOSTILE],
    )  # fmt: skip


def test_names_of_tasks_are_no_markup() -> None:
    report = drawn()
    for shown in (report._repr_html_(), timeline_svg(report), live_timeline(report)):
        assert "<img" not in shown
    live = live_timeline(report)
    assert live.count("</script>") == live.count("<script") == 1
    assert "</script" not in report._repr_html_()


def test_pictures_are_bounded() -> None:
    report = drawn()
    assert len(timeline_svg(report)) < 60_000
    assert len(live_timeline(report)) < 600_000


@pytest.mark.parametrize("missing", [{}, {"transfers": []}, {"lines": []}, {"blocks": [], "lanes": []}])
def test_figure_is_valid_for_bokeh(missing: dict[str, Any]) -> None:
    from bokeh.embed import json_item

    written = json.dumps(json_item(drawn(**missing).timeline()))  # type: ignore[arg-type]
    assert "nan" in written or not missing.get("lines", True)
    assert ("inc" in written) == bool(missing.get("blocks", True))


def test_an_empty_report_shows_no_picture() -> None:
    report = ProfileReport(complete=True, cluster="c")
    assert timeline_svg(report) == ""
    assert "Profile of c" in report._repr_html_()
    assert ProfileReport().text() == "The profiled block has not ended."


PHASES = {"M": {"name", "args"}, "X": {"name", "ts", "dur"}, "C": {"name", "ts", "args"}}
"""What the format requires of each kind of event, beside process and thread."""


def checked(path):
    """Return the slices of a trace by row, after looking whether the format allows all events."""
    events = json.loads(path.read_text())["traceEvents"]
    rows = {}
    for event in events:
        assert PHASES[event["ph"]] | {"pid"} <= event.keys()
        if event["ph"] == "X":
            assert isinstance(event["ts"], int) and event["dur"] >= 0
            rows.setdefault((event["pid"], event["tid"]), []).append(event)
    titled = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
    assert rows.keys() <= titled
    for slices in rows.values():
        slices.sort(key=lambda one: one["ts"])
        assert all(one["ts"] + one["dur"] <= other["ts"] for one, other in pairwise(slices)), "they would be misdrawn"
    return rows


def test_cells_and_their_groups(tmp_path):
    groups = [
        tasks("read").model_copy(update={"first_seconds": 1.0, "last_seconds": 4.0}),
        tasks("sum").model_copy(update={"first_seconds": 2.0, "last_seconds": 8.0}),
        tasks("never"),
    ]
    rows = checked(write_trace(tmp_path / "trace", events_of_cells([cell(groups), cell(groups)])))
    slices = [one for row in rows.values() for one in row]
    assert sorted(one["name"] for one in slices) == ["etl.ipynb [3]"] * 2 + ["read"] * 2 + ["sum"] * 2
    [first, _] = [one for one in slices if one["name"] == "etl.ipynb [3]"]
    [read, _] = [one for one in slices if one["name"] == "read"]
    assert (read["ts"] - first["ts"], read["dur"]) == (1_000_000, 3_000_000)
    assert first["args"]["cluster"] == "etl"


def test_a_profile(tmp_path):
    report = ProfileReport(cluster="mine")
    report.timeline_data = TimelineData(
        lanes=["0", "1"],
        blocks=[TimelineBlock(lane=1, prefix="inc", start_seconds=0.5, stop_seconds=1.5, busy_seconds=1.0)],
        transfers=[
            TimelineTransfer(start_seconds=at, stop_seconds=at + 1, n_bytes=9, source="0", target="1")
            for at in (0, 0.5)
        ],
        lines=[TimelineLine(name="CPU", unit="percent", seconds=[0.0, 1.0], values=[None, 50.0])],
    )
    path = report.write_perfetto(tmp_path / "trace.json")
    rows = checked(path)
    assert [one["name"] for one in rows[1, 2]] == ["inc"]
    assert len(rows[2, 1]) == len(rows[2, 2]) == 1
    counters = [event for event in json.loads(path.read_text())["traceEvents"] if event["ph"] == "C"]
    assert [(one["ts"], one["args"]) for one in counters] == [(1_000_000, {"value": 50.0})]


def test_unwritable_file_is_refused(tmp_path):
    with pytest.raises(InvalidRequest, match="--perfetto"):
        write_trace(tmp_path / "none" / "trace.json", [])


REPORT = ProfileReport(
    complete=True, cluster="lab", wall_seconds=2.0, n_tasks=1, notes=["Something was not measured."],
    findings=[Finding(rule="fine", title="No bottleneck found", evidence="All is well.", advice="Go on.")],
    prefixes=[PrefixFigures(prefix="inc", n_tasks=1, compute_seconds=1.0)],
    workers=[WorkerFigures(name="0", n_threads=1, n_tasks=1, busy_seconds=1.0, idle_share=0.5)],
    timeline_data=TimelineData(
        lanes=["0"], lines=[TimelineLine(name="CPU", unit="percent", seconds=[0.0, 2.0], values=[10.0, 90.0])],
        blocks=[TimelineBlock(lane=0, prefix="inc", start_seconds=0.0, stop_seconds=1.0, busy_seconds=1.0)],
    ),
)  # fmt: skip


@pytest.mark.parametrize("html", [REPORT._repr_html_(), report_html(REPORT, timeline=live_timeline(REPORT))])
def test_no_text_sets_its_colour(html: str) -> None:
    painted, _, scripts = html.partition("<script")
    # Only the legend's squares and the blocks differ by colour; text does not.
    assert set(re.findall(r"(?<![-\w])color:\s*([^;\"]+)", painted)) == {"var(--jp-content-font-color1, inherit)"}
    texts = re.findall(r"<text [^>]*>", painted)
    assert texts and all('fill="currentColor"' in text for text in texts)
    if scripts:
        assert FOREGROUND in scripts and "MutationObserver" in scripts
        assert not re.findall(r'_color": ?"#0{6}"', scripts)
