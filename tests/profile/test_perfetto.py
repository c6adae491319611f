"""Timelines as Chrome trace events."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from gpucluster.profiling.measurement import ProfileReport
from gpucluster.profiling.model import TimelineBlock, TimelineData, TimelineLine, TimelineTransfer
from gpucluster.profiling.perfetto import events_of_cells, write_trace
from gpucluster.protocol.errors import InvalidRequest

from tests.client.test_comparing import cell, tasks

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


def test_a_file_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(InvalidRequest, match="--perfetto"):
        write_trace(tmp_path / "none" / "trace.json", [])
