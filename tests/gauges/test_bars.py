"""Bars and sentences of a sample."""

from __future__ import annotations

import pytest
from gpucluster.gauges.bars import cluster_bars, worker_bars
from gpucluster.gauges.sentences import sentences
from gpucluster.protocol.telemetry import TelemetrySample

GIB = 2**30


def sample(**columns: object) -> TelemetrySample:
    fields: dict[str, object] = {"id": "0123abcd", "at": "2026-11-21T10:00:05+00:00", "workers": ["0", "1"]}
    return TelemetrySample.model_validate({**fields, **columns})


def test_memory_of_the_gpu_by_who_uses_it():
    figures = sample(
        device=["GPU-a", "GPU-b"],
        vram_total_bytes=16 * GIB,
        vram_used_bytes=[10 * GIB, 6 * GIB],
        vram_cluster_bytes=[9 * GIB, 5 * GIB],
        rmm_pool_bytes=[8 * GIB, 4 * GIB],
        rmm_used_bytes=[3 * GIB, 1 * GIB],
    )
    (bar,) = cluster_bars(figures)
    assert (bar.used_bytes, bar.total_bytes) == (16 * GIB, 32 * GIB)
    assert [(part.kind, part.size_bytes // GIB) for part in bar.parts] == [
        ("rmm_used", 4), ("rmm_free", 8), ("cluster", 2), ("others", 2),
    ]  # fmt: skip
    assert bar.text == "16 GiB of 32 GiB (50%)"
    (second,) = worker_bars(figures, 1)
    assert [(part.kind, part.size_bytes // GIB) for part in second.parts] == [
        ("rmm_used", 1), ("rmm_free", 3), ("cluster", 1), ("others", 1),
    ]  # fmt: skip


def test_workers_that_share_a_gpu_share_its_memory():
    figures = sample(device="GPU-a", vram_total_bytes=16 * GIB, vram_used_bytes=4 * GIB, vram_cluster_bytes=4 * GIB)
    (bar,) = cluster_bars(figures)
    assert (bar.used_bytes, bar.total_bytes) == (4 * GIB, 16 * GIB)


@pytest.mark.parametrize(
    ("columns", "kinds"),
    [
        ({}, ["unknown"]),
        ({"vram_cluster_bytes": GIB}, ["cluster", "others"]),
        ({"rmm_pool_bytes": GIB, "vram_cluster_bytes": GIB}, ["rmm_pool", "others"]),
        ({"rmm_used_bytes": GIB, "vram_cluster_bytes": GIB}, ["rmm_used", "others"]),
        ({"rmm_pool_bytes": 100 * GIB, "rmm_used_bytes": 0, "vram_cluster_bytes": GIB}, ["rmm_free"]),
    ],
)
def test_what_is_not_measured_is_not_drawn(columns: dict[str, int], kinds: list[str]):
    figures = sample(workers=["0"], vram_total_bytes=16 * GIB, vram_used_bytes=2 * GIB, **columns)
    (bar,) = cluster_bars(figures)
    assert [part.kind for part in bar.parts] == kinds
    assert sum(part.size_bytes for part in bar.parts) == 2 * GIB


def test_a_gpu_that_cannot_be_read_counts_nowhere():
    figures = sample(
        device=["GPU-a", "GPU-b"],
        vram_total_bytes=[16 * GIB, None],
        vram_used_bytes=[8 * GIB, None],
        vram_cluster_bytes=[5 * GIB, None],
        rmm_pool_bytes=[4 * GIB, 4 * GIB],
        rmm_used_bytes=[3 * GIB, 4 * GIB],
    )
    (bar,) = cluster_bars(figures)
    assert (bar.used_bytes, bar.total_bytes) == (8 * GIB, 16 * GIB)
    assert bar.sentence == "RMM used 3 GiB; RMM pool, free 1 GiB; this cluster, not RMM 1 GiB; others 3 GiB"


def test_each_worker_on_a_shared_gpu_has_an_rmm_of_its_own():
    figures = sample(
        device="GPU-a",
        vram_total_bytes=16 * GIB,
        vram_used_bytes=[None, 8 * GIB],
        vram_cluster_bytes=6 * GIB,
        rmm_used_bytes=[GIB, 2 * GIB],
    )
    (bar,) = cluster_bars(figures)
    assert bar.sentence == "RMM used 3 GiB; this cluster, not RMM 3 GiB; others 2 GiB"


def test_results_on_a_gpu_are_not_in_host_memory():
    # Dask counts both as managed.
    figures = sample(
        workers=["0"], memory_bytes=4 * GIB, managed_bytes=9 * GIB, tier_device_bytes=8 * GIB, tier_host_bytes=GIB
    )
    (bar,) = worker_bars(figures, 0)
    assert bar.sentence == "results 1 GiB; unmanaged 3 GiB"
    on_cpu = sample(workers=["0"], memory_bytes=4 * GIB, managed_bytes=GIB)
    assert worker_bars(on_cpu, 0)[0].sentence == "managed 1 GiB; unmanaged 3 GiB"


def test_no_figures_no_bars():
    assert cluster_bars(sample()) == []
    assert cluster_bars(sample(workers=[])) == []
    assert sentences(sample()) == ["0 tasks running, 0 results held"]


def test_memory_without_a_limit_has_no_share():
    (bar,) = cluster_bars(sample(memory_bytes=[GIB, GIB], memory_limit_bytes=[GIB, None]))
    assert (bar.text, bar.total_bytes) == ("2 GiB", None)


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        ({}, None),
        ({"tier_host_bytes": GIB, "tier_disk_bytes": 0}, None),
        ({"tier_host_bytes": GIB, "tier_disk_bytes": [GIB, None]}, "2 GiB in host memory, 1 GiB on disk"),
        ({"tier_device_bytes": GIB, "tier_host_bytes": 0, "cudf_spilled_bytes": 0}, None),
        ({"tier_device_bytes": 0, "tier_host_bytes": [GIB, 0]}, "1 GiB in host memory"),
        ({"tier_device_bytes": GIB, "cudf_spilled_bytes": [0, GIB]}, "2 GiB in GPU memory, 1 GiB spilled by cuDF"),
    ],
)
def test_spilled_results_are_told(columns: dict[str, object], line: str | None):
    told = (
        ["0 tasks running, 0 results held"] if line is None else ["0 tasks running, 0 results held", f"Results: {line}"]
    )
    assert sentences(sample(**columns)) == told
