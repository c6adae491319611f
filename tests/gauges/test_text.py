"""Gauges as lines, rankings and sentences."""

import pytest
from gpucluster.gauges import text
from gpucluster.gauges.figures import worker_figures
from gpucluster.gauges.text import cluster_lines, narrowed, ranked, sentences, worker_lines
from gpucluster.protocol.telemetry import TelemetrySample

GIB = 2**30


def sample(**columns: object) -> TelemetrySample:
    fields: dict[str, object] = {"id": "0123abcd", "at": "2026-11-21T10:00:05+00:00", "workers": ["0", "1"]}
    return TelemetrySample.model_validate({**fields, **columns})


def test_the_cluster():
    figures = sample(memory_bytes=[GIB // 2, 0], memory_limit_bytes=GIB, cpu_percent=[50.0, 25.0], tier_disk_bytes=GIB)
    assert cluster_lines(figures) == [
        "  Memory       ██████░░░░░░░░░░░░░░░░░░ 512 MiB of 2 GiB (25 %): Unmanaged 512 MiB",
        "  CPU 0.8 cores, 0 tasks running, 0 results held",
        "  Results: 2 GiB on disk",
    ]


def test_cluster_memory_is_bounded_by_machine():
    figures = sample(memory_bytes=GIB, memory_limit_bytes=6 * GIB, cpu_percent=[50.0, 25.0], n_threads=2)
    assert cluster_lines(figures)[:2] == [
        "  Memory       ████░░░░░░░░░░░░░░░░░░░░ 2 GiB of 12 GiB (17 %): Unmanaged 2 GiB",
        "  CPU 0.8 of 4 cores, 0 tasks running, 0 results held",
    ]
    shared = figures.model_copy(update={"host_memory_bytes": 8 * GIB, "host_cores": 2})
    assert cluster_lines(shared) == [
        "  Memory       ██████░░░░░░░░░░░░░░░░░░ 2 GiB of 8 GiB (25 %): Unmanaged 2 GiB",
        "  CPU 0.8 of 2 cores, 0 tasks running, 0 results held",
        "  Overcommitted: 4 threads on 2 cores, memory limits of 12 GiB on 8 GiB",
    ]
    assert worker_figures(shared, 0).bars[0].text == "1 GiB of 6 GiB (17 %)"


def test_workers_one_by_one():
    figures = sample(
        memory_bytes=[GIB // 2, 0], memory_limit_bytes=GIB, vram_total_bytes=[4 * GIB, None],
        vram_used_bytes=[2 * GIB, None], vram_cluster_bytes=[GIB, None], rmm_used_bytes=[GIB // 2, None],
        rmm_pool_bytes=[GIB, None], gpu_utilization_percent=[81, None], device_error=[None, "The GPU is lost."],
    )  # fmt: skip
    assert worker_lines(figures, 10) == [
        "  Worker 0 GPU    81 % busy",
        "  Worker 0 VRAM   ████████████░░░░░░░░░░░░ 2 GiB of 4 GiB (50 %): RMM used 512 MiB; RMM pool, free 512 MiB; "
        "Others 1 GiB",
        "  Worker 0 Memory ████████████░░░░░░░░░░░░ 512 MiB of 1 GiB (50 %): Unmanaged 512 MiB",
        "  Worker 1 GPU    The GPU is lost.",
        "  Worker 1        ░░░░░░░░░░░░░░░░░░░░░░░░ 0 B of 1 GiB (0 %)",
    ]
    assert "  1 GPU not readable." in cluster_lines(figures)
    assert worker_lines(sample(workers=["0"], memory_bytes=GIB), 10) == []


def test_gpu_workers_have_short_names():
    uuid = "GPU-1b2c3d4e-1111-2222-3333-444444444444"
    lines = worker_lines(sample(workers=[uuid, "MIG-1b2c3d4e-x", "GPU-short"], memory_bytes=GIB), 10)
    assert [line.split("  ")[1] for line in lines] == [
        "GPU-1b2c3d4e",
        "MIG-1b2c3d4e",
        "Worker GPU-short 1 GiB: Unmanaged 1 GiB",
    ]


@pytest.mark.parametrize(
    ("most", "lines"),
    [(4, ["0", "1", "2", "3"]), (3, ["0", "1", "and 2 more"]), (1, ["and 4 more"]), (0, ["and 4 more"])],
)
def test_no_more_lines_than_fit(most: int, lines: list[str]):
    found = worker_lines(sample(workers=["0", "1", "2", "3"], memory_bytes=GIB), most)
    assert [line.removeprefix("  ").removeprefix("Worker ").split("  ")[0] for line in found] == lines


def test_hidden_workers_are_not_read(monkeypatch: pytest.MonkeyPatch):
    read = []
    monkeypatch.setattr(text, "worker_figures", lambda *place: read.append(place) or worker_figures(*place))
    figures = sample(workers=list(map(str, range(10_000))), memory_bytes=list(range(10_000)), memory_limit_bytes=GIB)
    assert len(worker_lines(figures, 50)) == 50
    assert len(read) == 50


def test_foreign_names_are_escaped():
    hostile = "\x1b]0;title\x07\x9b2J\u202eevil\n"
    (line, _) = worker_lines(sample(workers=[hostile, "1"], memory_bytes=GIB), 10)
    assert line.isprintable()
    assert "evil" in line
    (line, _) = worker_lines(sample(device_error=[hostile, None], workers=["0", "1"], memory_bytes=[None, GIB]), 10)
    assert line.isprintable()


SAMPLE = TelemetrySample(
    id="a", at="2026-11-21T10:00:00Z", workers=["0", "1", "2"], n_threads=2, memory_bytes=[30, 10, 20],
    memory_limit_bytes=100, cpu_percent=[None, 50.0, 10.0],
)  # fmt: skip


def test_most_first_and_the_unmeasured_last():
    assert ranked(SAMPLE) == [0, 2, 1]
    assert ranked(SAMPLE, "cpu") == [1, 2, 0]
    gpus = SAMPLE.model_copy(update={"vram_used_bytes": [1, 2, None]})
    assert ranked(gpus) == [1, 0, 2], "memory of the GPU, where there is one"
    names = [line.split("  ")[1].strip() for line in worker_lines(SAMPLE, 10, ranked(SAMPLE)[:2])]
    assert [name.split(" █")[0].split(" ░")[0] for name in names] == ["Worker 0", "Worker 2", "and 1 more"]
    assert len(worker_lines(SAMPLE, 10)) == 3
    assert worker_lines(SAMPLE, 2)[-1] == "  and 2 more"


def test_a_narrower_sample_has_lists_only():
    cut = narrowed(SAMPLE, [2, 0])
    assert (cut.workers, cut.memory_bytes, cut.n_threads) == (["2", "0"], [20, 30], [2, 2])
    assert cut.rmm_used_bytes is None
    # Figures of the whole machine or cluster stay one value.
    whole = {"host_memory_bytes": 4, "host_cores": 2, "host_others_cores": 1.5, "tasks": {"memory": 1}}
    cut = narrowed(TelemetrySample.model_validate(SAMPLE.model_dump() | whole), [1])
    assert cut.model_dump(include=set(whole)) == whole


def test_load_tasks_and_what_is_in_a_bar():
    figures = sample(workers=["0"], memory_bytes=4 * GIB, managed_bytes=GIB)
    assert worker_figures(figures, 0).memory.sentence == "Managed 1 GiB; Unmanaged 3 GiB"
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
def test_spilled_results_are_shown(columns: dict[str, object], line: str | None):
    tasks = ["0 tasks running, 0 results held"]
    assert sentences(sample(**columns)) == (tasks if line is None else [*tasks, f"Results: {line}"])
