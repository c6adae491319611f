"""Each rule finds its fault in a real run, and none finds one in a good run."""

import hashlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import distributed
import gpucluster
import psutil
import pytest
from gpucluster.profiling.bottlenecks import fine
from gpucluster.profiling.measurement import ProfileReport
from gpucluster.protocol.sizes import format_size

MEBIBYTE = 2**20
pytestmark = [pytest.mark.timeout(240), pytest.mark.usefixtures("quiet_machine")]


def rules(report: ProfileReport) -> list[str]:
    return [finding.rule for finding in report.findings]


def found(report: ProfileReport, rule: str) -> Any:
    [finding] = [finding for finding in report.findings if finding.rule == rule]
    assert finding.title and finding.evidence.endswith(".") and finding.advice
    return finding


def work(seconds: float) -> int:
    """Compute without holding the GIL, so that the worker can answer."""
    time.sleep(seconds)
    return 1


def even(client: Any) -> None:
    client.gather(client.map(work, [0.5] * 8, pure=False))


def short_tasks(client: Any) -> None:
    client.gather(client.map(work, [0.05] * 60, pure=False))


def two_stages(client: Any) -> None:
    first = client.map(work, [0.3] * 4, pure=False)
    client.gather(client.map(lambda seconds, after: work(0.3), range(4), after=first, pure=False))


def some_code_of_its_own(client: Any) -> None:
    time.sleep(0.3)
    even(client)


@pytest.mark.parametrize("cell", [even, short_tasks, two_stages, some_code_of_its_own])
@pytest.mark.full
def test_cells_without_a_fault(client: Any, cell: Any) -> None:
    # Workers that have just started may take their first task one after the other.
    client.gather(
        [client.submit(work, 0, workers=address, pure=False) for address in client.scheduler_info()["workers"]]
    )
    with gpucluster.profile() as report:
        cell(client)
    assert rules(report) == ["fine"], report.text()
    assert "Workers were busy" in found(report, "fine").evidence


def hash_on_all_cores(seconds: float) -> int:
    """Keep all cores of this machine busy; hashing holds no lock."""
    data, end = bytes(MEBIBYTE), time.monotonic() + seconds

    def hashing() -> None:
        while time.monotonic() < end:
            hashlib.sha256(data)

    threads = [threading.Thread(target=hashing) for _ in range(os.cpu_count() or 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return 1


def test_all_cores_are_busy(client: Any) -> None:
    """The advice is not to use more workers on the same machine."""
    with gpucluster.profile() as report:
        client.gather(client.map(hash_on_all_cores, [2.0] * 4, pure=False))
    assert report.cores_busy_share is not None and report.cores_busy_share >= 0.8
    # On a busy machine the notebook may be slow; the advice is not to add workers either.
    assert not any("use more workers" in finding.advice for finding in report.findings), report.text()
    advice = fine(report).advice
    assert advice.startswith("To be faster, make the tasks themselves faster. All cores are busy (")


@pytest.mark.full
def test_notebook_code_took_the_time(client: Any) -> None:
    """The workers had no tasks, which is not idle time."""
    with gpucluster.profile() as report:
        time.sleep(1.5)
        client.gather(client.map(work, [0.25] * 4, pure=False))
    assert rules(report) == ["unused"], report.text()
    assert "the workers had no tasks (4 tasks in all): the notebook's own code ran" in found(report, "unused").evidence
    assert report.idle_share is not None and report.idle_share < 0.5
    assert report.notebook_seconds is not None and report.notebook_seconds >= 1.5


@pytest.fixture
def slow_module(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module that all processes can import slowly, like large libraries."""
    name = f"slow_{tmp_path.name}"
    code = "import time\ntime.sleep(0.8)\ndef slow(number):\n    time.sleep(0.1)\n    return number\n"
    (tmp_path / f"{name}.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    for ask in (client.run, client.run_on_scheduler):
        ask(lambda place: sys.path.insert(0, place), str(tmp_path))
    yield name
    for ask in (client.run, client.run_on_scheduler):
        ask(lambda place: sys.path.remove(place), str(tmp_path))


def test_the_cell_imports(client: Any, slow_module: str) -> None:
    with gpucluster.profile() as report:
        __import__(slow_module)
        client.gather(client.map(work, [0.25] * 4, pure=False))
    assert rules(report) == ["imports"], report.text()
    finding = found(report, "imports")
    assert finding.evidence.startswith("The cell itself imported") and "scheduler" not in finding.evidence
    assert finding.advice == "Put imports into a separate cell before this one: they run once."


@pytest.mark.full
def test_all_workers_import_task_modules(client: Any, slow_module: str) -> None:
    """Imports of the scheduler and the workers do not mean too few partitions or workers."""
    function = __import__(slow_module).slow
    with gpucluster.profile() as report:
        client.gather(client.map(function, range(4), pure=False))
    assert rules(report) == ["imports"], report.text()
    evidence = found(report, "imports").evidence
    assert "The scheduler imported" in evidence and "2 workers of 2" in evidence and "cell" not in evidence
    assert report.idle_share is not None and report.idle_share < 0.5, "importing is not idle time"
    with gpucluster.profile() as report:
        client.gather(client.map(function, range(4), pure=False))
    assert rules(report) == ["fine"], report.text()


def test_one_worker_imports_while_the_other_works(client: Any, slow_module: str) -> None:
    """Meanwhile it takes no tasks, which is no fault of the partitions."""
    busy, importing = sorted(client.scheduler_info(n_workers=-1)["workers"])
    with gpucluster.profile() as report:
        late = client.submit(lambda name: bool(__import__(name)), slow_module, workers=importing, pure=False)
        client.gather([late, *client.map(work, [0.15] * 5, workers=busy, pure=False)])
    assert rules(report) == ["imports"], report.text()
    assert "1 worker of 2" in found(report, "imports").evidence


def test_a_task_fails(client: Any) -> None:
    with gpucluster.profile() as report:
        even(client)
        client.submit(lambda: 1 / 0, pure=False).exception()
    assert rules(report) == ["failed"], report.text()


@pytest.mark.full
def test_thousands_of_tiny_tasks(client: Any) -> None:
    with gpucluster.profile() as report:
        client.gather(client.map(lambda number: number + 1, range(5000)))
    assert report.n_tasks == 5000
    assert rules(report) == ["tiny_tasks"]
    assert found(report, "tiny_tasks").evidence.startswith("5,000 tasks computed ")
    assert len(report.timeline_data.blocks) <= 4000
    assert sum(block.n_tasks for block in report.timeline_data.blocks) == 5000


@pytest.mark.full
def test_one_giant_partition(client: Any) -> None:
    with gpucluster.profile() as report:
        parts = client.map(work, [0.05] * 4, pure=False)
        client.submit(lambda seconds, after: work(seconds), 2.0, parts, pure=False).result()
    assert rules(report) == ["few_partitions"], report.text()
    assert "1 task of kind" in found(report, "few_partitions").evidence


@pytest.mark.full
def test_one_worker_does_it_all(client: Any) -> None:
    [busy, _] = sorted(client.scheduler_info(n_workers=-1)["workers"])
    with gpucluster.profile() as report:
        client.gather(client.map(work, [0.2] * 10, workers=busy, pure=False))
    assert rules(report) == ["skew"], report.text()


@pytest.mark.full
def test_one_task_delays_the_others(client: Any) -> None:
    with gpucluster.profile() as report:
        client.gather(client.map(work, [0.02] * 8 + [2.0], pure=False))
    assert rules(report) == ["skew"], report.text()
    assert "The longest of 9 tasks of kind 'work'" in found(report, "skew").evidence


def test_a_large_result_comes_to_the_notebook(client: Any) -> None:
    with gpucluster.profile() as report:
        client.gather(client.map(lambda size, tag: bytes(size), [30 * MEBIBYTE] * 4, range(4)))
    assert rules(report) == ["to_notebook"], report.text()
    assert found(report, "to_notebook").evidence.startswith("120 MiB were transferred")


def test_everything_is_rechunked(client: Any) -> None:
    with gpucluster.profile() as report:
        array = da.ones((4000, 5000), chunks=(400, 5000))
        array.rechunk((4000, 500)).sum().compute()
    # Transfers may fill such small workers, and a busy machine may delay one of them.
    assert set(rules(report)) - {"spilling", "memory_pressure", "skew"} == {"transfers"}, report.text()


@pytest.mark.filterwarnings("ignore:Sending large graph")
def test_the_notebook_sends_its_data(client: Any) -> None:
    with gpucluster.profile() as report:
        client.submit(len, bytes(20 * MEBIBYTE), pure=False).result()
    assert rules(report)[0] == "from_notebook", report.text()
    assert found(report, "from_notebook").evidence.startswith("20 MiB went")


def test_the_cluster_is_not_used(client: Any) -> None:
    with gpucluster.profile() as report:
        sum(range(1000))
    assert rules(report) == ["unused"]
    with gpucluster.profile() as report:
        client.submit(work, 0.05, pure=False).result()
        time.sleep(1.0)
    assert rules(report) == ["unused"]
    assert "the workers had no tasks (1 task in all)" in found(report, "unused").evidence


@pytest.mark.full
def test_loading_dominates(client: Any, tmp_path: Any) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "\n".join(f"{row},{row}" for row in range(400_000)))
    files = [str(path)] * 24  # long enough to matter, and few enough not to be tiny tasks on any machine
    dd.read_csv(files[0]).b.sum().compute()  # what is imported at first
    with gpucluster.profile() as report:
        dd.read_csv(files).b.sum().compute()
    assert rules(report) == ["data_loading"], report.text()


@pytest.fixture(scope="module")
def small_worker(shared_site: Any) -> str:
    """A cluster with little memory."""
    shared_site.running(name="small", n_workers=1, memory_limit="600 MiB", idle_timeout_seconds=None)
    return "small"


def hold(share: float) -> float:
    """Fill so much of the worker's memory with unspillable data for a while; return the memory used then."""
    limit, process = distributed.get_worker().memory_manager.memory_limit, psutil.Process()
    held = b"x" * max(0, int(share * limit) - process.memory_info().rss)
    time.sleep(1.2)  # The memory is read twice a second.
    return process.memory_info().rss / limit if held else 0.0


@pytest.mark.parametrize(("share", "expected"), [(0.68, "fine"), (0.87, "memory_pressure")])
@pytest.mark.full
def test_tasks_take_much_memory(small_worker: str, share: float, expected: str) -> None:
    """Near the limit is no fault; a pause of the worker is the only finding, as no data were spilled."""
    with gpucluster.connect(small_worker).get_client() as client:
        client.submit(hold, 0, pure=False).result()
        with gpucluster.profile() as report:
            used = client.gather(client.map(hold, [share] * 2, pure=False))
    assert rules(report) == [expected], report.text()
    peak, limit = report.workers[0].peak_memory_bytes, report.workers[0].memory_limit_bytes
    assert peak is not None and limit is not None
    assert max(used) == pytest.approx(share, abs=0.05) and peak / limit == pytest.approx(share, abs=0.05)
    assert report.spilled_bytes is not None and report.spilled_bytes < MEBIBYTE
    if expected == "memory_pressure":
        evidence = found(report, "memory_pressure").evidence
        assert evidence.startswith("1 of 1 workers used 80 % of their host memory or more; ")
        assert f"{format_size(peak)} of 600 MiB" in evidence


@pytest.mark.full
def test_results_that_fit(small_worker: str) -> None:
    """Just below the share at which Dask begins to spill."""
    with gpucluster.connect(small_worker).get_client() as client:
        client.restart()  # The process of another test's worker has not given all of its memory back.
        with gpucluster.profile() as report:
            futures = [client.submit(os.urandom, 40 * MEBIBYTE, pure=False) for _ in range(6)]
            distributed.wait(futures)
        assert rules(report) == ["fine"], report.text()
        assert report.spilled_bytes is not None and report.spilled_bytes < MEBIBYTE
        del futures


@pytest.mark.full
def test_spilling(small_worker: str) -> None:
    with gpucluster.connect(small_worker).get_client() as client:
        client.submit(work, 0, pure=False).result()
        with gpucluster.profile() as report:
            futures = [client.submit(os.urandom, 40 * MEBIBYTE, pure=False) for _ in range(16)]
            for future in futures:
                future.exception()
        assert report.spilled_bytes is not None and report.spilled_bytes >= 64 * MEBIBYTE
        assert report.workers[0].spilled_bytes == report.spilled_bytes
        evidence = found(report, "spilling").evidence
        assert "to disk because memory ran short" in evidence
        # On a busy machine results may come faster than they are written.
        assert set(rules(report)) <= {"spilling", "memory_pressure"}, report.text()
        del futures


@pytest.mark.full
def test_a_worker_dies(site: Any) -> None:
    site.running(name="mortal", n_workers=2)
    with gpucluster.connect("mortal").get_client() as client:
        pids = client.run(os.getpid)
        with gpucluster.profile() as report:
            futures = client.map(work, [0.5] * 4, pure=False)
            time.sleep(0.2)
            os.kill(next(iter(pids.values())), signal.SIGKILL)
            client.gather(futures)
            client.wait_for_workers(2, timeout=60)
    assert rules(report)[0] == "worker_lost", report.text()
    assert report.n_workers_lost == 1
    assert report.n_workers_joined == 1
    assert any(worker.lost for worker in report.workers)
    assert any("reported no metrics" in note for note in report.notes)


@pytest.mark.full
def test_workers_asked_to_leave_did_not_die(site: Any) -> None:
    site.running(name="less", n_workers=2)
    cluster = gpucluster.connect("less")
    with cluster.get_client() as client, gpucluster.profile(client) as report:
        client.gather(client.map(work, [0.1] * 4, pure=False))
        cluster.scale(1)
    assert report.n_workers_lost == 0
    assert report.n_workers == 1
    assert "worker_lost" not in rules(report)


def test_memory_that_cannot_be_had(client: Any) -> None:
    def fail() -> None:
        raise MemoryError("std::bad_alloc: out_of_memory: CUDA error")

    with gpucluster.profile() as report:
        client.submit(fail, pure=False).exception()
    assert rules(report)[:2] == ["out_of_memory", "failed"]
