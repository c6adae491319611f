"""Rules on invented figures: thresholds, GPUs, odd input."""

from typing import Any

import pytest
from gpucluster.profiling.bottlenecks import RULES, find_bottlenecks
from gpucluster.profiling.measurement import ProfileReport
from gpucluster.profiling.model import PrefixFigures, TransferFigures, WorkerFigures
from hypothesis import given
from hypothesis import strategies as st

GIBIBYTE = 2**30


def report_of(**changes: Any) -> ProfileReport:
    """A good run of 10 s on four threads, with changes."""
    figures: dict[str, Any] = {
        "complete": True, "cluster": "c", "wall_seconds": 10.0, "active_seconds": 9.5, "submitted_seconds": 10.0,
        "n_workers": 4, "n_threads": 4, "n_tasks": 100, "n_failed_tasks": 0, "n_unfinished_tasks": 0,
        "compute_seconds": 36.0, "transfer_seconds": 0.5,
        "disk_seconds": 0.0, "idle_share": 0.1, "spilled_bytes": 0,
        "transfers": TransferFigures(between_workers_bytes=10**6, to_clients_bytes=1000, from_clients_bytes=1000),
        "prefixes": [PrefixFigures(prefix="sum", n_tasks=100, compute_seconds=36.0, longest_seconds=0.5)],
        "workers": [
            WorkerFigures(name=str(place), n_threads=1, n_tasks=25, busy_seconds=9.0, idle_share=0.1,
                          peak_memory_bytes=GIBIBYTE, memory_limit_bytes=4 * GIBIBYTE)
            for place in range(4)
        ],
    }  # fmt: skip
    return ProfileReport(**(figures | changes))


def gpus(**figures: Any) -> dict[str, Any]:
    base = {"vram_total_bytes": 16 * GIBIBYTE, "peak_vram_bytes": 8 * GIBIBYTE, "gpu_power_limit_watts": 300.0}
    workers = [
        WorkerFigures(name=str(place), n_threads=1, n_tasks=25, busy_seconds=9.0, **(base | figures))
        for place in range(4)
    ]
    return {"workers": workers, "mean_gpu_utilization_percent": workers[0].mean_gpu_utilization_percent}


def rules(report: ProfileReport) -> list[str]:
    return [finding.rule for finding in find_bottlenecks(report)]


def test_a_good_run_is_fine() -> None:
    assert rules(report_of()) == ["fine"]
    good = gpus(mean_gpu_utilization_percent=90.0, mean_gpu_power_watts=250.0)
    assert rules(report_of(**good)) == ["fine"]


@given(st.floats(0, 100))
def test_gpus_that_wait(percent: float) -> None:
    report = report_of(**gpus(mean_gpu_utilization_percent=percent, mean_gpu_power_watts=280.0))
    assert ("gpu_waits" in rules(report)) == (percent < 50)


@given(st.floats(0, 10), st.floats(0, 10), st.floats(0, 10))
def test_importing(cell: float, scheduler: float, worker: float) -> None:
    workers = [found.model_copy(update={"import_seconds": worker}) for found in report_of().workers]
    report = report_of(notebook_import_seconds=cell, scheduler_import_seconds=scheduler, workers=workers)
    assert ("imports" in rules(report)) == (max(cell, scheduler, worker) >= 2.5)
    if "imports" in rules(report):
        assert ("separate cell" in find_bottlenecks(report)[0].advice) == (cell >= 2.5)


@given(st.floats(0, 100), st.floats(1, 300))
def test_busy_gpus_that_do_little(percent: float, watts: float) -> None:
    report = report_of(**gpus(mean_gpu_utilization_percent=percent, mean_gpu_power_watts=watts))
    assert ("small_kernels" in rules(report)) == (percent >= 70 and watts / 300 < 0.4)


@given(st.floats(0, 1))
def test_memory_in_pieces(used: float) -> None:
    texts = {"merge": "MemoryError: std::bad_alloc: out_of_memory"}
    report = report_of(**gpus(peak_vram_bytes=int(used * 16 * GIBIBYTE)), failures=texts, n_failed_tasks=1)
    expected = "fragmentation" if 16 * GIBIBYTE - int(used * 16 * GIBIBYTE) >= 1.6 * GIBIBYTE else "out_of_memory"
    assert rules(report)[:2] == [expected, "failed"]
    advice = find_bottlenecks(report)[0].advice
    assert ("rmm_pool_size" in advice) == (expected == "fragmentation")
    pooled = report_of(**gpus(peak_rmm_pool_bytes=GIBIBYTE), failures=texts, n_failed_tasks=1)
    assert "rmm_maximum_pool_size" in find_bottlenecks(pooled)[0].advice


@given(st.integers(0, 10**9))
def test_thresholds_of_bytes(size: int) -> None:
    moved = TransferFigures(between_workers_bytes=0, to_clients_bytes=size, from_clients_bytes=0)
    assert ("to_notebook" in rules(report_of(transfers=moved))) == (size >= 10**8)
    moved = TransferFigures(between_workers_bytes=0, to_clients_bytes=0, from_clients_bytes=size)
    assert ("from_notebook" in rules(report_of(transfers=moved))) == (size >= 10**7)
    assert ("spilling" in rules(report_of(spilled_bytes=size))) == (size >= 64 * 2**20)
    moved = TransferFigures(between_workers_bytes=size, to_clients_bytes=0, from_clients_bytes=0)
    results = [PrefixFigures(prefix="sum", n_tasks=100, compute_seconds=36.0, result_bytes=10**9)]
    expected = size >= max(64 * 2**20, 0.25 * 10**9)
    assert ("transfers" in rules(report_of(transfers=moved, prefixes=results, transfer_seconds=None))) == expected
    shuffled = moved.model_copy(update={"shuffled_bytes": size})
    assert ("transfers" in rules(report_of(transfers=shuffled, prefixes=results, idle_share=0.25))) == expected


@pytest.mark.parametrize(("fetching", "expected"), [(2.8, False), (3.3, False), (3.4, True), (20.0, True)])
def test_moved_data_counts_by_transfer_time(fetching: float, expected: bool) -> None:
    moved = TransferFigures(between_workers_bytes=10**9, to_clients_bytes=0, from_clients_bytes=0)
    results = [PrefixFigures(prefix="sum", n_tasks=100, compute_seconds=13.3, result_bytes=10**9)]
    report = report_of(transfers=moved, prefixes=results, compute_seconds=13.3, transfer_seconds=fetching)
    assert ("transfers" in rules(report)) == expected
    busy = report.model_copy(update={"others_cores": 1.7, "machine_cores": 2})
    assert rules(busy) == ["busy_machine"], "a busy machine explains slow fetching"
    assert "used 1.7 of 2 cores" in find_bottlenecks(busy)[0].evidence
    assert "busy_machine" not in rules(report.model_copy(update={"others_cores": 1.7, "machine_cores": 16}))


@given(st.floats(0, 1))
def test_memory_close_to_the_limit(used: float) -> None:
    worker = WorkerFigures(name="0", n_threads=4, busy_seconds=36.0, memory_limit_bytes=10**10,
                           peak_memory_bytes=int(used * 10**10))  # fmt: skip
    assert ("memory_pressure" in rules(report_of(workers=[worker]))) == (int(used * 10**10) >= 0.8 * 10**10)


@given(st.integers(1, 100_000), st.floats(1e-5, 1.0), st.floats(0.3, 1000), st.floats(0, 1))
def test_tiny_tasks_matter_when_threads_wait_for_them(count: int, mean: float, wall: float, idle: float) -> None:
    prefix = PrefixFigures(prefix="inc", n_tasks=count, compute_seconds=count * mean, longest_seconds=mean)
    changes = {"n_tasks": count, "compute_seconds": count * mean, "wall_seconds": wall, "active_seconds": wall}
    report = report_of(prefixes=[prefix], idle_share=idle, **changes)
    exact = report.mean_task_seconds or 0
    expected = exact < 0.01 and count >= 200 and count >= 20 * wall and idle >= 0.5
    assert ("tiny_tasks" in rules(report)) == expected


def test_idle_without_a_reason_is_still_said() -> None:
    prefix = PrefixFigures(prefix="sum", n_tasks=100, compute_seconds=12.0, longest_seconds=0.2)
    report = report_of(idle_share=0.7, compute_seconds=12.0, prefixes=[prefix])
    assert rules(report) == ["idle"]
    evidence = find_bottlenecks(report)[0].evidence
    assert evidence.startswith("While there were tasks, workers were idle 70 % of the time")


@given(st.floats(0, 100), st.floats(0, 1))
def test_time_without_tasks_is_the_notebooks(wall: float, share: float) -> None:
    report = report_of(wall_seconds=wall, submitted_seconds=wall * share)
    assert ("unused" in rules(report)) == (wall >= 0.5 and wall - wall * share >= 0.4 * wall)
    assert "idle" not in rules(report)


@pytest.mark.parametrize("way", ["to_clients_bytes", "from_clients_bytes"])
def test_transfer_time_is_reported_once(way: str) -> None:
    moved = TransferFigures(**({"to_clients_bytes": 0, "from_clients_bytes": 0} | {way: 150 * 10**6}))
    rule = {"to_clients_bytes": "to_notebook", "from_clients_bytes": "from_notebook"}[way]
    assert rules(report_of(submitted_seconds=2.0, transfers=moved)) == [rule]
    both = report_of(wall_seconds=60.0, submitted_seconds=2.0, transfers=moved)
    assert rules(both) == [rule, "unused"], "so few bytes did not take a minute"


@given(st.one_of(st.none(), st.floats(0, 1)))
def test_no_more_workers_for_cores_that_are_busy(busy: float | None) -> None:
    [finding] = find_bottlenecks(report_of(cores_busy_share=busy))
    assert finding.rule == "fine"
    assert ("use more workers" in finding.advice) == ((busy or 0) < 0.8)


def test_gpu_use_covers_task_time_only() -> None:
    figures = gpus(mean_gpu_utilization_percent=45.0, mean_gpu_power_watts=280.0)
    assert rules(report_of(submitted_seconds=5.0, wall_seconds=8.0, **figures)) == ["fine"]
    assert rules(report_of(submitted_seconds=8.0, wall_seconds=8.0, **figures)) == ["gpu_waits"]


def test_short_measurement_has_no_findings() -> None:
    one = [PrefixFigures(prefix="len", n_tasks=1, compute_seconds=0.03, longest_seconds=0.03)]
    workers = [WorkerFigures(name=str(place), n_threads=1, n_tasks=3 - place, busy_seconds=0.03) for place in range(2)]
    figures = {"n_tasks": 1, "compute_seconds": 0.03, "idle_share": 0.6, "workers": workers, "active_seconds": 0.03}
    report = report_of(wall_seconds=0.05, submitted_seconds=0.04, n_threads=2, prefixes=one, **figures)
    assert [finding.title for finding in find_bottlenecks(report)] == ["Too short to tell"]


def test_loading_that_takes_little_of_the_time() -> None:
    loading = [PrefixFigures(prefix="read-csv", n_tasks=10, compute_seconds=1.0, longest_seconds=0.1)]
    figures = {"prefixes": loading, "compute_seconds": 1.2, "n_tasks": 20, "idle_share": 0.1, "submitted_seconds": 0.5}
    assert rules(report_of(wall_seconds=2.0, **figures)) == ["data_loading", "unused"]
    assert rules(report_of(wall_seconds=20.0, **figures)) == ["unused"]


numbers = st.one_of(st.none(), st.floats(0, 1e6))
sizes = st.one_of(st.none(), st.integers(0, 2**50))


@given(
    st.builds(
        ProfileReport,
        complete=st.just(True), cluster=st.text(max_size=10), wall_seconds=st.floats(0, 1e6), active_seconds=numbers,
        submitted_seconds=numbers, cores_busy_share=st.one_of(st.none(), st.floats(0, 1)),
        n_threads=st.integers(0, 10), n_tasks=st.one_of(st.none(), st.integers(0, 10**6)),
        n_failed_tasks=st.one_of(st.none(), st.integers(0, 5)), compute_seconds=numbers, transfer_seconds=numbers,
        disk_seconds=numbers, idle_share=st.one_of(st.none(), st.floats(0, 1)), scheduler_cpu_percent=numbers,
        mean_gpu_utilization_percent=numbers, spilled_bytes=sizes,
        transfers=st.builds(TransferFigures, between_workers_bytes=sizes, shuffled_bytes=sizes,
                            to_clients_bytes=sizes, from_clients_bytes=sizes),
        prefixes=st.lists(st.builds(PrefixFigures, prefix=st.text(max_size=10), n_tasks=st.integers(0, 1000),
                                    compute_seconds=st.floats(0, 1e6), longest_seconds=st.floats(0, 1e6)), max_size=4),
        workers=st.lists(st.builds(WorkerFigures, name=st.text(max_size=5), n_threads=st.integers(1, 4),
                                   busy_seconds=st.floats(0, 1e6), peak_vram_bytes=sizes, vram_total_bytes=sizes,
                                   mean_gpu_power_watts=numbers, gpu_power_limit_watts=numbers,
                                   mean_gpu_utilization_percent=numbers, peak_memory_bytes=sizes,
                                   memory_limit_bytes=sizes, lost=st.booleans()), max_size=4),
        failures=st.dictionaries(st.text(max_size=5), st.text(max_size=30), max_size=2),
        findings=st.just([]), notes=st.lists(st.text(max_size=10), max_size=2), files=st.just([]),
    )
)  # fmt: skip
def test_no_figures_break_a_rule_or_the_report(report: ProfileReport) -> None:
    for rule in RULES:
        finding = rule(report)
        assert finding is None or (finding.title and finding.evidence and finding.advice)
    report.findings = find_bottlenecks(report)
    assert bool(report.findings) == (report.n_tasks is not None)
    assert report.text()
    assert "<script" not in report._repr_html_()
    assert ProfileReport.model_validate_json(report.to_json()) == report
