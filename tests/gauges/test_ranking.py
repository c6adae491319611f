"""The workers that have most of a figure."""

from __future__ import annotations

from gpucluster.gauges.ranking import narrowed, ranked
from gpucluster.gauges.text import worker_lines
from gpucluster.protocol.telemetry import TelemetrySample

SAMPLE = TelemetrySample(
    id="a", at="2026-11-21T10:00:00Z", workers=["0", "1", "2"], n_threads=2, memory_bytes=[30, 10, 20],
    memory_limit_bytes=100, cpu_percent=[None, 50.0, 10.0],
)  # fmt: skip


def test_most_first_and_the_unmeasured_last():
    assert ranked(SAMPLE) == [0, 2, 1]
    assert ranked(SAMPLE, "cpu") == [1, 2, 0]
    gpus = SAMPLE.model_copy(update={"vram_used_bytes": [1, 2, None]})
    assert ranked(gpus) == [1, 0, 2], "memory of the GPU, where there is one"


def test_a_narrower_sample_has_lists_only():
    cut = narrowed(SAMPLE, [2, 0])
    assert (cut.workers, cut.memory_bytes, cut.n_threads) == (["2", "0"], [20, 30], [2, 2])
    assert cut.rmm_used_bytes is None


def test_lines_of_the_wanted_and_how_many_others():
    names = [line.split("  ")[1].strip() for line in worker_lines(SAMPLE, 10, ranked(SAMPLE)[:2])]
    assert [name.split(" █")[0].split(" ░")[0] for name in names] == ["Worker 0", "Worker 2", "and 1 more"]
    assert len(worker_lines(SAMPLE, 10)) == 3
    assert worker_lines(SAMPLE, 2)[-1] == "  and 2 more"
