"""Python's figures and texts of gauges match the cases that TypeScript has to match, too."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask
import distributed  # noqa: F401  # sets the defaults of workers
import pytest
from gpucluster.gauges import figures
from gpucluster.gauges.text import others_text, running_tasks, sentences, shared_text
from gpucluster.protocol.telemetry import TelemetrySample

CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))
COMPARED = {"vram", "memory", "results", "gpu", "cpu", "shared", "others", "tasks"}
"""The possible keys of a case for a worker or the cluster."""
SCHEMA = Path(__file__).parents[2] / "labextension" / "schema" / "plugin.json"


@pytest.mark.parametrize(
    ("group", "text"),
    [
        ("sizes", figures.size_text),
        ("percents", figures.percent_text),
        ("counts", figures.count_text),
        ("durations", figures.duration_text),
    ],
)
def test_texts(group: str, text: Callable[[float], str]):
    assert [text(value) for value, _ in CASES[group]] == [expected for _, expected in CASES[group]]


def test_names():
    assert CASES["names"] == figures.PART_NAMES
    for case in CASES["titles"]:
        sample = sample_of(case)
        assert [figures.worker_title(sample, place) for place in range(len(sample.workers))] == case["titles"]


def test_thresholds_match_settings_and_marks_match_dask():
    settings = json.loads(SCHEMA.read_text(encoding="utf-8"))["properties"]
    assert {name: settings[name]["default"] for name in CASES["thresholds"]} == CASES["thresholds"]
    memory = next(one["distributed"]["worker"]["memory"] for one in dask.config.defaults if "distributed" in one)
    assert {name: memory[name] for name in CASES["marks"]} == CASES["marks"]


def sample_of(case: dict[str, Any]) -> TelemetrySample:
    return TelemetrySample.model_validate({"id": "0123abcd", "at": "2026-11-21T10:00:05+00:00", **case["sample"]})


def content(bar: figures.Bar | None) -> dict[str, Any] | None:
    if bar is None:
        return None
    parts = {part.kind: part.size_bytes for part in bar.parts}
    return {"parts": parts, "used": bar.used_bytes, "total": bar.total_bytes}


def expect(shown: figures.Figures, case: dict[str, Any]):
    assert case.keys() <= COMPARED, "neither this file nor gaugecases.spec.ts compares it"
    for name in ("vram", "memory", "results"):
        bar, expected = getattr(shown, name), case.get(name)
        assert content(bar) == (expected and {key: expected[key] for key in ("parts", "used", "total")}), name
        if expected and "text" in expected:
            assert list(content(bar)["parts"]) == [kind for kind in figures.PART_NAMES if kind in expected["parts"]]
            share = f" ({expected['percent']})" if "percent" in expected else ""
            assert bar.text == f"{expected['text']}{share}"
    assert (None if shown.gpu is None else figures.percent_text(shown.gpu)) == case.get("gpu")


@pytest.mark.parametrize("case", CASES["samples"], ids=lambda case: case["name"])
def test_figures(case: dict[str, Any]):
    sample, cluster = sample_of(case), case["cluster"]
    expect(figures.cluster_figures(sample), cluster)
    for place, expected in enumerate(case["workers"]):
        expect(figures.worker_figures(sample, place), expected)
    assert shared_text(sample) == cluster.get("shared", "")
    assert others_text(sample) == cluster.get("others", "")
    assert running_tasks(sample) == cluster.get("tasks", {}).get("running", 0)
    load = sentences(sample)[0]
    cpu = cluster.get("cpu")
    assert load.startswith(f"CPU {cpu['used']} of {cpu['capacity']}, ") if cpu else "CPU" not in load
    failed = cluster.get("tasks", {}).get("failed", 0)
    assert (f", {failed} failed" in load) == bool(failed)
