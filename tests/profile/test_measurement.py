"""Measurements of real runs with known figures, and their removal."""

import asyncio
import os
import subprocess
import sys
import time
from importlib.metadata import version
from typing import Any

import dask.array as da
import gpucluster
import pytest
from distributed import Client, LocalCluster
from distributed.protocol.pickle import dumps
from gpucluster.dask_internals.messages import sent_by_value
from gpucluster.profiling import recorders
from gpucluster.profiling.assembly import TelemetryReadings, assemble
from gpucluster.profiling.bottlenecks import others_slow
from gpucluster.profiling.files import checked_path
from gpucluster.profiling.measurement import ProfileReport
from gpucluster.profiling.recorders import scheduler as scheduler_recorder
from gpucluster.profiling.recorders import worker as worker_recorder
from gpucluster.protocol.errors import ClusterNotFound, InvalidRequest, InvalidState
from gpucluster.protocol.telemetry import TelemetrySample

from tests.conftest import until

MEGABYTE = 10**6


def held(n_bytes: int, tag: int) -> bytes:
    return bytes(n_bytes)


def length(data: bytes) -> int:
    return len(data)


def workers_of(client: Any) -> list[str]:
    return sorted(client.scheduler_info(n_workers=-1)["workers"])


def test_bytes_brought_to_the_notebook(client: Any) -> None:
    futures = client.map(held, [20 * MEGABYTE] * 3, range(3))
    client.gather([client.submit(length, future) for future in futures])
    with gpucluster.profile() as report:
        client.gather(futures[0])
        client.gather(futures[1:], direct=True)
    assert report.transfers.to_clients_bytes == pytest.approx(60 * MEGABYTE, rel=0.01)
    assert report.transfers.between_workers_bytes == 0
    assert report.n_tasks == 0, "they had run before"


def test_bytes_of_a_computed_array(client: Any) -> None:
    array = da.ones((2000, 1000), chunks=(500, 1000))
    with gpucluster.profile() as report:
        result = array.compute()
    assert report.transfers.to_clients_bytes == pytest.approx(result.nbytes, rel=0.02)
    # The cluster's activity shows when it was measured.
    last = gpucluster.connect("shared").activity()[-1]
    assert (last.kind, last.message) == ("profile", f"Profiled for {report.wall_seconds:.1f} s")


def test_bytes_between_workers(client: Any) -> None:
    first, second = workers_of(client)
    data = [client.submit(held, 30 * MEGABYTE, tag, workers=first, pure=False) for tag in range(2)]
    with gpucluster.profile() as report:
        found = client.gather([client.submit(length, item, workers=second, pure=False) for item in data])
    assert found == [30 * MEGABYTE] * 2
    assert report.transfers.between_workers_bytes == pytest.approx(60 * MEGABYTE, rel=0.01)
    assert report.transfers.n_between_workers in {1, 2}
    assert report.transfers.shuffled_bytes == 0
    assert sum(worker.received_bytes or 0 for worker in report.workers) == pytest.approx(60 * MEGABYTE, rel=0.01)
    [prefix] = [prefix for prefix in report.prefixes if prefix.prefix == "length"]
    assert prefix.n_tasks == 2
    assert prefix.transfer_seconds > 0
    assert sum(move.n_bytes for move in report.timeline_data.transfers) >= 60 * MEGABYTE


def test_overlapping_measurements_count_separately(client: Any) -> None:
    before = client.run_on_scheduler(_hooks), client.run(_left_on_worker)
    first, second = workers_of(client)

    def move(tag: int) -> None:
        data = client.submit(held, 20 * MEGABYTE, tag, workers=first, pure=False)
        client.submit(length, data, workers=second, pure=False).result()
        client.scatter(bytes(2 * MEGABYTE))

    def moved(report: Any) -> tuple[Any, Any, Any]:
        moves = report.transfers
        return moves.between_workers_bytes, moves.n_between_workers, moves.from_clients_bytes

    def megabytes(moves: int) -> tuple[Any, int, Any]:
        return pytest.approx(20e6 * moves, rel=0.01), moves, pytest.approx(2e6 * moves, rel=0.05)

    with gpucluster.profile() as outer:
        with gpucluster.profile("shared") as inner:
            move(1)
        move(2)
    assert (moved(outer), moved(inner)) == (megabytes(2), megabytes(1))
    one, other = gpucluster.profile(), gpucluster.profile()
    early = one.__enter__()
    move(3)
    late = other.__enter__()
    move(4)
    one.__exit__(None, None, None)  # The first to begin also ends first.
    move(5)
    other.__exit__(None, None, None)
    assert (moved(early), moved(late)) == (megabytes(2), megabytes(2))
    assert (client.run_on_scheduler(_hooks), client.run(_left_on_worker)) == before


def test_shuffles_in_measurements_that_overlap(client: Any) -> None:
    array = da.ones((2000, 2000), chunks=(200, 2000)).persist()
    client.gather(client.map(length, [b""]))
    with gpucluster.profile() as outer:
        with gpucluster.profile() as inner:
            client.submit(length, b"").result()
        array.rechunk((2000, 200), method="p2p").sum().compute()
    assert inner.transfers.shuffled_bytes == 0
    assert (outer.transfers.shuffled_bytes or 0) > 0.3 * array.nbytes


def _replace_log(dask_worker: Any) -> None:
    dask_worker.transfer_incoming_log = type(dask_worker.transfer_incoming_log).__mro__[1]()
    dask_worker.transfer_outgoing_log = type(dask_worker.transfer_outgoing_log).__mro__[1]()


def test_unmeasured_fields_are_absent(client: Any) -> None:
    with gpucluster.profile() as report:
        client.run(_replace_log)
    assert report.transfers.between_workers_bytes is None and report.transfers.to_clients_bytes is None
    assert any("Transfers of 2 workers were not measured" in note for note in report.notes)


def test_bytes_of_a_shuffle(client: Any) -> None:
    rows, columns = 2000, 2000
    array = da.ones((rows, columns), chunks=(rows // 10, columns)).persist()
    client.gather(client.map(length, [b""]))
    with gpucluster.profile() as report:
        array.rechunk((rows, columns // 10), method="p2p").sum().compute()
    # Each of two workers keeps its half of what it has: half of the array moves.
    assert 0.3 * array.nbytes < (report.transfers.shuffled_bytes or 0) < 0.7 * array.nbytes
    assert report.transfers.between_workers_bytes >= report.transfers.shuffled_bytes


def test_bytes_from_the_notebook(client: Any) -> None:
    with gpucluster.profile() as report:
        scattered = client.scatter(bytes(8 * MEGABYTE))
        client.submit(length, scattered).result()
    assert report.transfers.from_clients_bytes == pytest.approx(8 * MEGABYTE, rel=0.02)
    with gpucluster.profile() as report:
        client.submit(length, bytes(4 * MEGABYTE)).result()
    assert report.transfers.from_clients_bytes == pytest.approx(4 * MEGABYTE, rel=0.02)


def test_tasks_and_time(client: Any) -> None:
    with gpucluster.profile("shared") as report:
        assert not report.complete
        client.gather(client.map(time.sleep, [0.2] * 4, pure=False))
    assert report.complete and report.cluster == "shared" and report.failed is None
    [prefix] = report.prefixes
    assert (prefix.prefix, prefix.n_tasks, prefix.n_failed) == ("sleep", 4, 0)
    assert 0.75 <= prefix.compute_seconds <= report.wall_seconds * report.n_threads
    assert 0.2 <= prefix.longest_seconds <= prefix.compute_seconds
    assert report.active_seconds is not None and 0.4 <= report.active_seconds <= report.wall_seconds
    assert sum(worker.n_tasks for worker in report.workers) == report.n_tasks == 4
    assert [worker.name for worker in report.workers] == ["0", "1"]
    busy = sum(worker.busy_seconds for worker in report.workers)
    # By the workers' clocks and the scheduler's, which sees the end of a task a moment apart.
    assert report.submitted_seconds is not None and report.active_seconds <= report.submitted_seconds + 0.1
    assert report.submitted_seconds + (report.notebook_seconds or 0.0) == pytest.approx(report.wall_seconds)
    assert report.idle_share == pytest.approx(1 - busy / (report.submitted_seconds * report.n_threads), abs=0.02)
    assert report.n_readings >= 2
    assert sum(block.n_tasks for block in report.timeline_data.blocks) == 4


def test_a_failure_passes_through_and_is_counted(client: Any) -> None:
    def divide(number: int) -> float:
        return 1 / number

    with pytest.raises(ZeroDivisionError):
        with gpucluster.profile() as report:
            client.gather(client.map(divide, [1, 0], pure=False))
    assert report.complete and report.failed == "ZeroDivisionError"
    assert report.n_failed_tasks == 1
    assert "ZeroDivisionError" in report.failures["divide"]
    assert "failed" in {finding.rule for finding in report.findings}


@pytest.mark.full
def test_peak_memory_and_telemetry(client: Any) -> None:
    def hold(n_bytes: int) -> int:
        data = b"x" * n_bytes
        time.sleep(2.5)
        return len(data)

    with gpucluster.profile() as before:
        client.submit(length, b"a", pure=False).result()
    with gpucluster.profile() as report:
        client.submit(hold, 200 * MEGABYTE, pure=False).result()
    grown = max(worker.peak_memory_bytes or 0 for worker in report.workers)
    assert grown - max(worker.peak_memory_bytes or 0 for worker in before.workers) > 150 * MEGABYTE
    assert report.n_readings >= 4
    assert report.n_telemetry_samples >= 1
    lines = {line.name: line for line in report.timeline_data.lines}
    assert set(lines) == {"host memory", "CPU"}
    assert max(value or 0 for value in lines["host memory"].values) > 200 * MEGABYTE
    for worker in report.workers:
        assert worker.peak_vram_bytes is None and worker.peak_rmm_bytes is None, "absent, not zero"


def test_unfinished_tasks_are_said(client: Any) -> None:
    with gpucluster.profile() as report:
        futures = client.map(time.sleep, [1.0] * 4, pure=False)
        time.sleep(0.5)
    assert (report.n_unfinished_tasks or 0) >= 2
    assert any("were unfinished" in note for note in report.notes)
    client.cancel(futures)


async def test_in_an_asynchronous_block(shared_cluster: Any) -> None:
    handle = gpucluster.connect("shared", asynchronous=True)
    async with Client(handle, asynchronous=True) as client:
        async with gpucluster.profile(handle) as report:
            assert await client.submit(sum, [1, 2], pure=False) == 3
            await asyncio.sleep(0)
        assert report.n_tasks == 1
        with pytest.raises(InvalidState, match="asynchronous=True"):
            async with LocalCluster(n_workers=0, asynchronous=True, processes=False, dashboard_address=":0") as inside:
                async with Client(inside, asynchronous=True) as shared_loop:
                    gpucluster.profile(shared_loop).__enter__()


def _left(dask_scheduler: Any) -> tuple[list[str], list[str], list[str]]:
    return (
        sorted(dask_scheduler.plugins),
        sorted(dask_scheduler.worker_plugins),
        [dask_scheduler.stream_handlers["update-graph"].__qualname__, dask_scheduler.handlers["scatter"].__qualname__],
    )


def _hooks(dask_scheduler: Any) -> list[bool]:
    handlers = dask_scheduler.stream_handlers["update-graph"], dask_scheduler.handlers["scatter"]
    return [hasattr(handler, "__wrapped__") for handler in handlers]


def _left_on_worker(dask_worker: Any) -> tuple[list[str], int, str, int]:
    from distributed.shuffle._core import ShuffleRun

    return (
        sorted(name for name in dask_worker.plugins if "profile" in name),
        len(getattr(dask_worker.transfer_incoming_log, "gpucluster_followers", ())),
        type(dask_worker.transfer_outgoing_log).__name__,
        len(getattr(ShuffleRun._send, "gpucluster_followers", ())),
    )


def test_measurement_leaves_no_plugin(client: Any) -> None:
    before = client.run_on_scheduler(_left), client.run(_left_on_worker)
    with gpucluster.profile():
        with gpucluster.profile() as inner:
            client.submit(sum, [1, 2], pure=False).result()
    assert inner.n_tasks == 1
    with pytest.raises(KeyboardInterrupt), gpucluster.profile():
        raise KeyboardInterrupt
    after = client.run_on_scheduler(_left), client.run(_left_on_worker)
    assert after == before
    for plugins, of_incoming, outgoing, of_shuffles in after[1].values():
        # The telemetry follows as before, as far as no test has replaced the log.
        assert (plugins, outgoing, of_shuffles) == ([], "deque", 1) and of_incoming <= 1


def test_killed_notebook_leaves_no_plugin(client: Any, shared_site: Any, wait_until: Any) -> None:
    before = client.run_on_scheduler(_left), client.run(_left_on_worker)
    program = (
        "import gpucluster, time\n"
        "with gpucluster.profile('shared'):\n"
        "    print('measuring', flush=True)\n"
        "    time.sleep(600)\n"
    )
    process = shared_site.python(program)
    assert process.stdout.readline() == "measuring\n"
    assert client.run_on_scheduler(_left) != before[0]
    process.kill()
    process.communicate()
    wait_until(lambda: (client.run_on_scheduler(_left), client.run(_left_on_worker)) == before)


def test_a_cluster_of_dask() -> None:
    # Threads: the process that multiprocessing starts for itself would outlive the test.
    with LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, protocol="tcp", dashboard_address=":0"
    ) as cluster:
        with Client(cluster) as client:
            with gpucluster.profile(client) as report:
                client.gather(client.map(abs, range(10)))
            assert (report.n_tasks, report.n_telemetry_samples) == (10, 0)
            assert report.workers[0].peak_memory_bytes
            with gpucluster.profile() as report:
                client.submit(sum, [1, 2]).result()
            assert report.n_tasks == 1


def test_a_cluster_that_goes_away(site: Any) -> None:
    site.running(name="gone")
    with gpucluster.profile("gone") as report:
        site.control.stop("gone")
    assert report.complete and report.wall_seconds > 0
    assert report.n_tasks is None and report.transfers.to_clients_bytes is None
    assert report.findings == []
    assert "was gone at the end" in report.text()


@pytest.mark.parametrize("name", ["~nosuchuser/x", "x" * 3000])
def test_a_name_that_cannot_be_a_file_is_refused(name: str) -> None:
    with pytest.raises(InvalidRequest, match=r"^--json: .{1,110} cannot be used: .*[^.]\. Choose another name\.$"):
        checked_path(name, "--json")


def test_refusals(shared_cluster: Any, tmp_path: Any, monkeypatch: Any) -> None:
    with pytest.raises(ClusterNotFound, match="There is no cluster to measure. Name one"):
        gpucluster.profile().__enter__()
    with pytest.raises(ClusterNotFound, match="nobody"):
        gpucluster.profile("nobody").__enter__()
    with pytest.raises(InvalidRequest, match="must be a name"):
        gpucluster.profile(3).__enter__()  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest, match="directory .* does not exist"):
        gpucluster.profile("shared", performance_report=tmp_path / "no" / "x.html")
    with pytest.raises(InvalidRequest, match="is a directory"):
        gpucluster.profile("shared", nsight=tmp_path)
    with pytest.raises(InvalidRequest, match="file name"):
        gpucluster.profile("shared", nsight=" ")
    closed = gpucluster.connect("shared").get_client()
    closed.close()
    with pytest.raises(InvalidState, match="no longer connected"):
        gpucluster.profile(closed).__enter__()


@pytest.mark.full
def test_dask_report_option(client: Any, tmp_path: Any) -> None:
    with gpucluster.profile(performance_report=tmp_path / "dask") as report:
        client.submit(sum, [1, 2], pure=False).result()
    if version("distributed").startswith("2026.1."):  # it looks for a template where Bokeh 3.9 has none
        assert report.files[0].startswith("Dask's performance report could not be written")
        return
    page = (tmp_path / "dask.html").read_text()
    assert "<html" in page and "Duration" in page
    assert report.files == [f"Dask's performance report is in {tmp_path / 'dask.html'}."]


BUSY = "import time\nend = time.monotonic() + 60\nwhile time.monotonic() < end: pass"


@pytest.mark.full
def test_programs_that_keep_the_machine_busy_are_found(client: Any) -> None:
    programs = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(os.cpu_count() or 1)]
    try:
        report = until(lambda: found if "busy_machine" in rules(found := of_an_idle_cell()) else None)
    finally:
        for program in programs:
            program.kill()
            program.wait()
    assert report.machine_cores == os.cpu_count()
    assert report.others_cores >= 0.25 * report.machine_cores
    [finding] = [finding for finding in report.findings if finding.rule == "busy_machine"]
    assert f" used {report.others_cores:.1f} of {report.machine_cores} core" in finding.evidence


def rules(report: Any) -> list[str]:
    return [finding.rule for finding in report.findings]


def of_an_idle_cell() -> Any:
    with gpucluster.profile() as report:
        time.sleep(2.5)  # Telemetry has a sample a second.
    if not report.n_telemetry_samples or report.others_cores is None:
        pytest.skip("this cluster may not use the whole machine, so its samples say nothing of other programs")
    return report


def test_samples_include_other_programs() -> None:
    def sample(**fields: Any) -> TelemetrySample:
        return TelemetrySample(id="0000000a", at="2026-01-01T00:00:00Z", workers=[], host_cores=2, tasks={}, **fields)

    def assembled(*samples: TelemetrySample) -> ProfileReport:
        readings, report = TelemetryReadings(), ProfileReport(complete=True, cluster="c", wall_seconds=10.0)
        readings.own_cores = 0.5
        for each in samples:
            readings.add(each)
        assemble(report, None, {}, readings)
        return report

    report = assembled(*(sample(host_others_cores=cores) for cores in (0.8, 1.6)), sample())
    assert (report.others_cores, report.machine_cores) == (pytest.approx(0.7), 2)
    assert others_slow(report) and not others_slow(assembled(sample(host_others_cores=0.9)))
    assert assembled(sample(host_others_cores=0.2)).others_cores == 0.0, "never negative"
    assert assembled(sample()).others_cores is None


@pytest.mark.usefixtures("quiet_machine")
def test_client_of_another_cluster_is_reported(client: Any, site: Any) -> None:
    # 'site' has a separate registry; the client still belongs to the shared cluster.
    site.running(name="idle")
    with gpucluster.profile("idle") as report:
        client.submit(sum, [1, 2], pure=False).result()
    assert report.n_tasks == 0
    assert any("connected to another cluster" in note for note in report.notes)
    assert [finding.rule for finding in report.findings] == ["unused"]


_PROGRAM = """
import sys
sys.modules["gpucluster"] = None  # importing it fails
from distributed.protocol.pickle import loads
while (head := sys.stdin.buffer.read(8)):
    loaded = loads(sys.stdin.buffer.read(int.from_bytes(head, "big")))
    print(getattr(loaded, "__name__", type(loaded).__name__))
"""


def test_recorders_are_sent_by_value() -> None:
    things = [
        scheduler_recorder.SchedulerRecorder("name", "owner"),
        worker_recorder.WorkerRecorder("name"),
        scheduler_recorder.begin,
        scheduler_recorder.finish,
        worker_recorder.begin,
        worker_recorder.finish,
        worker_recorder.process_facts,
    ]
    with sent_by_value(recorders.__name__):
        sent = [dumps(thing) for thing in things]
    assert all(len(dumps(thing)) < len(code) for thing, code in zip(things, sent, strict=True)), "by name, afterwards"
    messages = b"".join(len(code).to_bytes(8, "big") + code for code in sent)
    done = subprocess.run([sys.executable, "-c", _PROGRAM], input=messages, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    expected = ["SchedulerRecorder", "WorkerRecorder", "begin", "finish", "begin", "finish", "process_facts"]
    assert done.stdout.decode().split() == expected
