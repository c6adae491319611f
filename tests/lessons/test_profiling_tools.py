"""What lesson 13 simulates, measures and draws, and what its checks take for granted about Dask's files."""

import html
import re
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from distributed import performance_report
from gpucluster.lessons.checking import check
from gpucluster.lessons.course.lesson_13_where_did_the_time_go import checks_reports as checks
from gpucluster.lessons.course.lesson_13_where_did_the_time_go import tools
from gpucluster.lessons.course.lesson_13_where_did_the_time_go.checks_reports import true_word
from gpucluster.lessons.figures import counters, roofline, timelines, vector
from gpucluster.lessons.figures.timelines import explore_overlap
from gpucluster.lessons.simulations.pipeline import Pipeline, counter_log, schedule, share_of, two_devices
from gpucluster.recordings.places import find_recording

from tests.lessons.drawings import SVG, sound
from tests.lessons.test_answers import solved

GIVEN = Pipeline(batches=6, load=0.3, copy_in=0.04, kernels=0.25, copy_out=0.02)


def replaced(**changes: Any) -> Pipeline:
    return Pipeline(**{**GIVEN.__dict__, **changes})


def test_in_turns_a_batch_costs_the_sum_and_one_ahead_the_larger() -> None:
    assert schedule(GIVEN)[-1].stop == pytest.approx(6 * (0.3 + 0.31))
    assert schedule(replaced(ahead=1))[-1].stop == pytest.approx(0.3 + 6 * 0.31)
    assert schedule(replaced(ahead=1, load=0.9))[-1].stop == pytest.approx(6 * 0.9 + 0.31)
    assert schedule(replaced(ahead=3, load=0.9)) == schedule(replaced(ahead=1, load=0.9))


@pytest.mark.parametrize("ahead", [0, 1, 2, 3])
def test_no_more_batches_are_ahead_than_said_and_no_lane_does_two_things_at_once(ahead: int) -> None:
    spans = schedule(replaced(ahead=ahead, load=0.05))
    for lane in ("load", "copy in", "kernels", "copy out"):
        own = [span for span in spans if span.lane == lane]
        assert [span.batch for span in own] == list(range(6))
        assert all(later.start >= earlier.stop - 1e-9 for earlier, later in zip(own, own[1:], strict=False))
    begun = {span.batch: span.start for span in spans if span.lane == "copy in"}
    for span in spans:
        if span.lane == "load" and ahead:
            held = sum(start <= span.start + 1e-9 for start in begun.values()) - 1
            assert span.batch - held <= ahead


@pytest.mark.filterwarnings("ignore:Downcasting behavior in `replace`:FutureWarning")  # pandas 2.2
def test_the_simulated_log_says_what_the_lesson_says_of_it() -> None:
    read_dmon, share_below = solved("13.3")
    table, units = read_dmon(tools.simulated_log())
    assert list(units) == ["gpu", "pwr", "gtemp", "mtemp", "sm", "mem", "fb", "rxpci", "txpci"]
    means = table.groupby("gpu")["sm"].mean()
    assert means[0] == pytest.approx(42, abs=1.5)
    assert means[1] > 75
    assert np.isnan(means[2])
    assert share_below(table, 50).keys() == {0, 1}
    assert table["pwr"].between(75, 500).all()
    first = two_devices()[0]
    assert first is not None
    assert (first.load, round(first.device, 9), first.kernels) == (1.3, 1.35, 1.1)
    assert counter_log([]) == "\n"


def test_the_simulated_capture_has_what_the_pipeline_was_given() -> None:
    [device_summary] = solved("13.4")
    found = device_summary(tools.simulated_capture(), 0)
    assert found["to_device_bytes"] == 8 * 256 * 2**20
    assert found["to_host_bytes"] == 8 * 2**20
    assert found["kernel_seconds"] == pytest.approx(8 * 0.024 * 1.25)
    spans = schedule(Pipeline(batches=8, load=0.030, copy_in=0.010, kernels=0.024, copy_out=0.002))
    assert found["idle_share"] == pytest.approx(1 - share_of(spans, "kernels", 0.030, spans[-1].stop), abs=1e-6)


def test_a_table_without_rows_is_not_in_the_export() -> None:
    kernels, copies = tools.captured(replaced(copy_in=0.0, copy_out=0.0))
    assert copies == []
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        tools.export(kernels, copies).execute("SELECT * FROM CUPTI_ACTIVITY_KIND_MEMCPY")


@pytest.mark.parametrize("kind", tools.WORDS)
def test_a_simulated_trace_is_of_the_kind_it_was_made_for(kind: str) -> None:
    for seed in range(20):
        trace = tools.simulated(kind, np.random.default_rng(seed))
        assert true_word(trace) == kind
        for figure in (trace.kernels, trace.copies, trace.host, trace.occupancy):
            assert ((figure >= 0) & (figure <= 100)).all()
        assert trace.largest_bytes <= trace.free_bytes


def test_the_five_mysteries_are_the_five_bottlenecks() -> None:
    assert sorted(map(true_word, tools.mystery_traces().values())) == sorted(set(tools.WORDS) - {"healthy"})


@pytest.mark.processes
@pytest.mark.parametrize(
    ("script", "is_simulated"),
    [
        ('echo "# gpu    sm"; echo "# Idx     %"; echo "    0    97"', False),
        ('echo "NVIDIA-SMI has failed because it could not communicate with the driver"', True),
        ("exit 9", True),
    ],
    ids=["a device", "no driver", "an error"],
)
def test_counters_are_measured_where_there_are_some(
    script: str, is_simulated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = tmp_path / "nvidia-smi"
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    log = tools.watch_devices()
    assert log.simulated is is_simulated
    assert ("SIMULATED" in log.source) is is_simulated
    assert log.text.startswith("#")


def test_without_the_command_the_log_is_simulated_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    log = tools.watch_devices()
    assert log.simulated
    assert log.text == tools.simulated_log()


def test_the_recording_of_the_lesson_comes_with_it() -> None:
    assert find_recording(tools.RECORDED).is_file()


def test_timers_note_begin_and_end_also_of_what_fails() -> None:
    waits = []
    timers = tools.StageTimers(lambda: waits.append(1))
    with pytest.raises(ValueError), timers.stage("outer"), timers.stage("inner"):
        raise ValueError
    assert [event[:2] for event in timers.events] == [
        ("outer", "begin"), ("inner", "begin"), ("inner", "end"), ("outer", "end")
    ]  # fmt: skip
    assert len(waits) == 5  # before each look at the clock, the first included
    moments = [event.at for event in timers.events]
    assert moments == sorted(moments)
    assert timers.total() >= moments[-1] - moments[0]
    tools.settler(np.ones(2))()


@pytest.mark.full
def test_a_worker_is_measured_and_no_kernel_is_above_its_peak(client: Any) -> None:
    roof = tools.measure_roof(client)
    assert roof.library == "numpy"
    assert len(roof.kernels) == 5
    assert roof.bandwidth > 0
    for kernel in roof.kernels.values():
        assert kernel.flops / kernel.seconds <= roof.peak * (1 + 1e-9)
    product = roof.kernels["matrix product"]
    assert product.flops / product.n_bytes > 100 > 1 > roof.kernels["add"].flops / roof.kernels["add"].n_bytes


RECORDS = [
    {"worker": "a", "thread": 1, "key": "load-1", "startstops": [{"action": "compute", "start": 10.0, "stop": 11.0}]},
    {"worker": "b", "thread": 1, "key": ("sum<x>", 0),
     "startstops": [{"action": "transfer", "start": 9.0, "stop": 12.0}, {"action": "compute", "start": 12.0,
                                                                        "stop": 12.5}]},
]  # fmt: skip


def check_svg(picture: vector.Picture) -> str:
    """A picture is sound, and no colour of its texts hides in a theme."""
    texts = list(sound(picture.svg()).iter(f"{SVG}text"))
    assert {one.attrib["fill"] for one in texts} <= {"currentColor"}
    return " | ".join(one.text or "" for one in texts)


def test_pictures_of_time(shown: list[vector.Picture]) -> None:
    timelines.stream(RECORDS, 3, (1.0, 1.0))
    assert "From 1.00 s on, no thread computed for 1.00 s" in shown[-1].words
    assert "thread 2" in check_svg(shown[-1])  # one that did nothing has a row as well
    assert "sum&lt;x&gt;: 500.0 ms, from 2.000 s" in shown[-1].svg()
    timelines.lanes({"in turns": GIVEN, "ahead": replaced(ahead=1)})
    assert "in turns 3.66 s, ahead 2.16 s" in shown[-1].words
    check_svg(shown[-1])
    timelines.capture(tools.simulated_capture())
    assert "stream 13" in check_svg(shown[-1])


def test_pictures_of_counters(shown: list[vector.Picture]) -> None:
    counters.counters(
        {"device 0": [1.0, float("nan"), 100.0, 50.0], "silent": [float("nan")]}, "%", rolling=2, limit=50
    )
    assert "device 0 50" in shown[-1].words
    assert "silent" not in check_svg(shown[-1])
    counters.traces(tools.mystery_traces())
    assert "out of memory!" in check_svg(shown[-1])
    counters.shares({"load": 1.0, "other": 3.0})
    assert "load 25%" in check_svg(shown[-1])


def test_picture_of_a_roofline(shown: list[vector.Picture]) -> None:
    roofline.roofline({"add": (1 / 12, 2e9), "product": (200.0, 5e10)}, {"here": (6e10, 2e10), **roofline.PUBLISHED},
                      {"add": "memory"})  # fmt: skip
    text = check_svg(shown[-1])
    assert "here: 60 Gflop/s, 20 GB/s" in text
    assert "add: 0.0833 operations per byte, 2 Gflop/s, memory-bound" in shown[-1].svg()


def test_nothing_to_draw_is_said(shown: list[vector.Picture], capsys: pytest.CaptureFixture[str]) -> None:
    timelines.stream([], 2)
    counters.counters({"a": [float("nan")]}, "%")
    counters.shares({"load": 0.0})
    roofline.roofline({}, {"here": (1.0, 1.0)})
    assert shown == []
    assert capsys.readouterr().out.count("Nothing to draw") == 4


def test_the_sliders_are_those_of_the_pipeline() -> None:
    box = explore_overlap()
    assert [child.description for child in box.children[:3]] == ["load, s per batch", "kernels, s per batch",
                                                                "batches ahead"]  # fmt: skip


@pytest.mark.full
def test_the_report_of_the_check_is_like_a_real_one(client: Any, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    with performance_report(filename=str(file)):
        client.gather(client.map(abs, range(7), pure=False))
    real = file.read_text(encoding="utf-8")
    made = checks.report_text("1.5 s", 7, {"compute": "12.00 ms"}, 2, 2)

    def skeleton(text: str) -> list[str]:
        text = html.unescape(text)
        begin = text.index("<h2> Duration")
        lines = text[begin : text.index("Memory:", begin)].replace("\\n", "\n").split("\n")
        return [re.sub(r": .* </", ": … </", line.strip()) for line in lines if line.strip()]

    assert skeleton(real) == skeleton(made)
    facts = solved("13.2")[0](real)
    assert facts["tasks"] == 7
    assert facts["threads"] == sum(client.nthreads().values())
    assert 0 < facts["compute"] < facts["seconds"] * facts["threads"]


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("250.00 us", 250e-6), ("380.63 ms", 0.38063), ("12.50 s", 12.5), ("3m 20s", 200), ("2hr 15m", 8100),
     ("1d 4hr", 100_800)],
)  # fmt: skip
def test_times_as_dask_writes_them(written: str, seconds: float) -> None:
    assert checks.in_seconds(written) == pytest.approx(seconds)
    solution = solved("13.2")[0]
    text = checks.report_text(written, 3, {"compute": written}, 4, 2)
    assert solution(text) == {"seconds": pytest.approx(seconds), "tasks": 3, "compute": pytest.approx(seconds),
                              "threads": 4}  # fmt: skip


def test_a_trace_that_is_changed_is_noticed() -> None:
    def diagnose(trace: Any) -> str:
        word = checks.true_word(trace)
        trace.copies[:] = 0
        return word

    fixes = {word: fix for word, (fix, _) in checks.FIXES.items()}
    result = check("13.7", diagnose, fixes)
    assert [finding.expected for finding in result.findings if not finding.passed] == ["Inputs are not modified"]
