"""Sentences of a sample, beside what ``cases.json`` holds."""

from __future__ import annotations

import pytest
from gpucluster.gauges.figures import worker_figures
from gpucluster.gauges.sentences import sentences
from gpucluster.protocol.telemetry import TelemetrySample

GIB = 2**30


def sample(**columns: object) -> TelemetrySample:
    fields: dict[str, object] = {"id": "0123abcd", "at": "2026-11-21T10:00:05+00:00", "workers": ["0", "1"]}
    return TelemetrySample.model_validate({**fields, **columns})


def test_what_is_in_a_bar():
    figures = sample(workers=["0"], memory_bytes=4 * GIB, managed_bytes=GIB)
    assert worker_figures(figures, 0).memory.sentence == "Managed 1 GiB; Unmanaged 3 GiB"


def test_load_and_tasks():
    assert sentences(sample()) == ["0 tasks running, 0 results held"]
    busy = sample(
        cpu_percent=[50.0, 25.0], gpu_utilization_percent=[80, None], tasks={"processing": 1, "memory": 1, "erred": 2}
    )
    assert sentences(busy) == ["CPU 0.8 cores, GPU 80 %, 1 task running, 1 result held, 2 failed"]


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        ({}, None),
        ({"tier_host_bytes": GIB, "tier_disk_bytes": 0}, None),
        ({"tier_host_bytes": GIB, "tier_disk_bytes": [GIB, None]}, "1 GiB in host memory, 1 GiB on disk"),
        ({"managed_bytes": GIB, "tier_disk_bytes": GIB}, "2 GiB in host memory, 2 GiB on disk"),
        ({"tier_device_bytes": GIB, "tier_host_bytes": 0, "cudf_spilled_bytes": 0}, None),
        ({"tier_device_bytes": 0, "tier_host_bytes": [GIB, 0]}, "1 GiB in host memory"),
        ({"tier_device_bytes": GIB, "cudf_spilled_bytes": [0, GIB]}, "2 GiB in GPU memory, 1 GiB spilled by cuDF"),
    ],
)
def test_spilled_results_are_told(columns: dict[str, object], line: str | None):
    told = ["0 tasks running, 0 results held"]
    assert sentences(sample(**columns)) == (told if line is None else [*told, f"Results: {line}"])
