"""The sampler on a real scheduler: it sends what the model describes, and its history of ten minutes is bounded."""

import asyncio
import json
import time
from types import SimpleNamespace

import psutil
import pytest
from distributed import Client
from gpucluster.backends.scheduler.in_process import InProcessScheduler
from gpucluster.backends.scheduler.reader import MOST, HeartbeatReader, TaskProgress
from gpucluster.client.transport import CELLS
from gpucluster.dask_internals.spans import cell_span
from gpucluster.protocol.cells import CellProgress
from gpucluster.protocol.models import EVENT, CellsChanged, Telemetry
from gpucluster.protocol.telemetry import TelemetryHistory
from gpucluster.registry.logs import read_cells
from gpucluster.supervisor.figures import sampler as sampling
from gpucluster.supervisor.figures.cells import CellLog
from gpucluster.supervisor.process import warmup
from gpucluster.telemetry.columns import COLUMNS, METRIC, VERSION

from tests.conftest import until_async


@pytest.fixture
async def cluster():
    """Two workers in this process."""
    from distributed import LocalCluster

    options = {"processes": False, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "asynchronous": True}
    async with LocalCluster(n_workers=2, **options) as cluster:
        yield cluster


@pytest.fixture
async def sampler(cluster):
    view = InProcessScheduler(cluster.scheduler)
    sampler = sampling.Sampler(view, "0000000a")
    sampler.start(devices=False)
    yield sampler
    sampler.stop()
    await view.close()


async def first(sampler):
    listening = sampler.listen()
    try:
        return await anext(listening)
    finally:
        await listening.aclose()


async def test_line_equals_model_event(cluster, sampler):
    workers = cluster.scheduler.workers
    await until_async(lambda: workers and all(METRIC in worker.metrics for worker in workers.values()))
    async with Client(cluster, asynchronous=True) as client:
        futures = client.map(lambda x: x + 1, range(20))
        await client.gather(futures)
        line = sampler.encoded(HeartbeatReader(cluster.scheduler).read())
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    event = EVENT.validate_json(line)
    assert isinstance(event, Telemetry)
    assert json.loads(event.model_dump_json(exclude_none=True, exclude_unset=True)) == json.loads(line)
    sample = event.sample
    assert sample.id == "0000000a"
    assert sample.workers == ["0", "1"]
    assert sample.tasks == {"memory": 20}
    assert [(one.prefix, one.in_memory) for one in sample.progress] == [("lambda", 20)]
    assert all(age < 30 for age in sample.column("age_seconds"))
    assert all(memory > 10_000_000 for memory in sample.column("memory_bytes"))
    for unmeasured in ("device", "vram_used_bytes", "rmm_used_bytes", "tier_device_bytes"):
        assert unmeasured.encode() not in line, "an unmeasured column is sent"


async def test_worker_without_plugin_reports_dask_figures(cluster):
    scheduler = cluster.scheduler
    await until_async(lambda: all(worker.metrics.get("memory") for worker in scheduler.workers.values()))
    columns = HeartbeatReader(scheduler).read()
    assert METRIC not in next(iter(scheduler.workers.values())).metrics
    assert all(memory > 10_000_000 for memory in columns["memory_bytes"])
    assert columns["executing"] in {(0, 0), (None, None)}
    assert columns["sent_bytes"] == (None, None), "not measured is not zero"
    for row_of_other_version in ([VERSION + 1, *[7] * len(COLUMNS)], [VERSION, 7], "nonsense", None):
        for worker in scheduler.workers.values():
            worker.metrics[METRIC] = row_of_other_version
        assert HeartbeatReader(scheduler).read()["sent_bytes"] == (None, None)


async def test_workers_come_in_the_order_of_people(cluster):
    cluster.scale(11)
    await until_async(lambda: len(cluster.scheduler.workers) >= 11)
    assert HeartbeatReader(cluster.scheduler).read()["workers"] == [str(number) for number in range(11)]


async def test_no_workers_are_no_error(cluster, sampler):
    cluster.scale(0)
    await until_async(lambda: not cluster.scheduler.workers)
    sample = EVENT.validate_json(await asyncio.wait_for(first(sampler), 30)).sample
    assert (sample.workers, sample.column("memory_bytes")) == ([], [])


def test_columns_are_folded():
    columns = {"workers": ["a", "b"], "x": [1, 1], "y": [1, 2], "z": [None, None], "w": [None, 1]}
    assert sampling.compact(columns) == {"workers": ["a", "b"], "x": 1, "y": [1, 2], "w": [None, 1]}
    assert sampling.compact({"workers": ["a"], "x": [1]}) == {"workers": ["a"], "x": 1}


async def test_samples_are_not_encoded_without_listeners(cluster, sampler, monkeypatch):
    monkeypatch.setattr(sampling, "INTERVAL_SECONDS", 0.05)
    encoded = []
    monkeypatch.setattr(sampling.Sampler, "encoded", lambda self, columns: encoded.append(1) or b"{}\n")
    monkeypatch.setattr(sampling.Sampler, "interval", 0.05)
    await until_async(lambda: len(sampler.history._totals) >= 5)
    assert not encoded
    await first(sampler)
    assert encoded


async def test_listeners_share_one_encoding(cluster, sampler, monkeypatch):
    monkeypatch.setattr(sampling.Sampler, "interval", 0.05)
    made = []
    encode = sampling.Sampler.encoded

    def counted(self, columns):
        made.append(encode(self, columns))
        return made[-1]

    monkeypatch.setattr(sampling.Sampler, "encoded", counted)

    async def take(n):
        listening = sampler.listen()
        lines = [await anext(listening) for _ in range(n)]
        await listening.aclose()
        return lines

    taken = await asyncio.wait_for(asyncio.gather(*[take(3) for _ in range(20)]), 30)
    by_identity = {id(line) for line in made}
    assert all(id(line) in by_identity for lines in taken for line in lines)
    assert len(made) < 20


async def test_slow_listener_gets_newest_sample(cluster, sampler, monkeypatch):
    monkeypatch.setattr(sampling.Sampler, "interval", 0.02)
    slow = sampler.listen()
    oldest = await anext(slow)
    fast = sampler.listen()
    for _ in range(10):
        newest = await asyncio.wait_for(anext(fast), 30)
    later = json.loads(await asyncio.wait_for(anext(slow), 30))["sample"]["at"]
    assert later >= json.loads(newest)["sample"]["at"] > json.loads(oldest)["sample"]["at"]
    await slow.aclose()
    await fast.aclose()


async def test_recently_active_task_kinds_come_last(cluster):
    watch = TaskProgress(cluster.scheduler)
    async with Client(cluster, asynchronous=True) as client:
        kept = [client.submit(abs, number, key=(f"kind{number:02}", 0)) for number in range(40)]
        await client.gather(kept)
        _, progress = watch.read()
        assert len(progress) == MOST
        assert {one["prefix"] for one in progress} <= {f"kind{number:02}" for number in range(40)}
        await client.submit(abs, 1, key=("kind05", 1))
        again, failing = client.submit(abs, 1, key=("kind07", 1)), client.submit(abs, "x", key=("kind08", 1))
        await again
        assert isinstance(await failing.exception(), TypeError)
        _, progress = watch.read()
        last = {one["prefix"]: one for one in progress[-3:]}
        assert set(last) == {"kind05", "kind07", "kind08"}
        assert last["kind07"]["in_memory"] == 2
        assert last["kind08"] == {"prefix": "kind08", "in_memory": 1, "erred": 1}


async def test_reading_visits_few_task_kinds(cluster, monkeypatch):
    scheduler = cluster.scheduler
    before = set(scheduler.plugins)
    watch = TaskProgress(scheduler)
    async with Client(cluster, asynchronous=True) as client:
        kept = client.map(abs, range(3), key=[("kept", number) for number in range(3)])
        await client.gather(kept)
        for number in range(20_000):
            scheduler.new_task((f"kind{number:05}", 0), None, "released")
            scheduler.transitions({(f"kind{number:05}", 0): "forgotten"}, "test")
        scattered = await client.scatter([1, 2], broadcast=True)
        again = client.submit(abs, 1, key=("kept", 3))
        await again
        late = client.submit(abs, "x", key=("late", 0))
        assert isinstance(await late.exception(), TypeError)
        waiting = client.submit(abs, 1, key=("nowhere", 0), workers=["unknown"], allow_other_workers=False)
        await until_async(lambda: scheduler.unrunnable)

        class Counted(dict):
            looked = 0

            def __getitem__(self, name):
                Counted.looked += 1
                return super().__getitem__(name)

            def _all(self):
                raise AssertionError("it visits all task kinds")

            __iter__ = items = values = keys = _all

        assert len(scheduler.task_prefixes) > 20_000
        monkeypatch.setattr(scheduler, "task_prefixes", Counted(scheduler.task_prefixes))
        tasks, progress = watch.read()
        assert 0 < Counted.looked <= MOST
        assert tasks == {"memory": 6, "erred": 1, "no-worker": 1}
        assert progress[-3:] == [
            {"prefix": "kept", "in_memory": 4},
            {"prefix": "late", "erred": 1},
            {"prefix": "nowhere", "waiting": 1},
        ]
        monkeypatch.undo()
        del kept, scattered, again, late, waiting
        await until_async(lambda: not scheduler.tasks)
        assert watch.read() == ({}, [])
    watch.stop()
    assert set(scheduler.plugins) == before


async def test_earlier_results_are_counted(cluster):
    async with Client(cluster, asynchronous=True) as client:
        failing = client.submit(abs, "x", key=("early", 0))
        assert isinstance(await failing.exception(), TypeError)
        watch = TaskProgress(cluster.scheduler)
        assert watch.read() == ({"erred": 1}, [{"prefix": "early", "erred": 1}])
        await client.restart(wait_for_workers=False)
        assert watch.read() == ({}, [])


async def test_an_error_does_not_end_the_sampling(cluster, sampler, monkeypatch, caplog):
    monkeypatch.setattr(sampling.Sampler, "interval", 0.02)
    monkeypatch.setattr(sampling, "INTERVAL_SECONDS", 0.002)
    broken = iter([True, False])
    read = HeartbeatReader.read

    def sometimes(self):
        if next(broken, False):
            raise RuntimeError("once")
        return read(self)

    monkeypatch.setattr(HeartbeatReader, "read", sometimes)
    before = len(sampler.history._totals)
    await until_async(lambda: len(sampler.history._totals) >= before + 3)
    assert "A sample could not be taken" in caplog.text


async def test_unused_cluster_rests(cluster, sampler, monkeypatch):
    shortest, resting = warmup.SHORTEST_HEARTBEAT_SECONDS, warmup.RESTING_HEARTBEAT_SECONDS
    assert warmup.heartbeat_seconds() == shortest
    monkeypatch.setattr(sampling, "REST_AFTER_SECONDS", 0.0)
    await asyncio.sleep(0.01)
    sampler.note_use(used=False)
    assert warmup.heartbeat_seconds() == resting
    sampler.note_use(used=True)
    assert warmup.heartbeat_seconds() == shortest
    await asyncio.sleep(0.01)
    sampler.note_use(used=False)
    requests = []

    async def ask(self):
        requests.append(self)

    monkeypatch.setattr(InProcessScheduler, "ask_for_heartbeats", ask)
    listening = sampler.listen()
    await anext(listening)
    assert warmup.heartbeat_seconds() == shortest
    await asyncio.wait_for(anext(listening), 30)
    assert len(requests) == 1, "a new listener needs fresh figures"
    sampler.note_use(used=False)
    assert warmup.heartbeat_seconds() == shortest, "it rests although a listener watches"
    await listening.aclose()


async def test_cell_is_reported_at_once_and_its_end_too(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(sampling.Sampler, "interval", 600.0)
    view = InProcessScheduler(cluster.scheduler)
    sampler = sampling.Sampler(view, "0000000a", cells=CellLog(tmp_path / "cells"))
    sampler.start(devices=False)
    listening = sampler.listen(cells=True)
    assert (await anext(listening)).startswith(b'{"kind":"telemetry"')

    async def next_cell() -> CellProgress:
        async for line in listening:
            event = EVENT.validate_json(line)
            if isinstance(event, CellsChanged):
                assert line.startswith(CELLS)
                [cell] = event.cells
                return cell
        raise AssertionError

    async with Client(cluster, asynchronous=True) as client:
        facts = {"id": "run-1", "kernel": "k", "cell": "c", "code": "secret()", "notebook": "private.ipynb"}
        with cell_span("lab [1]", "run-1", facts):
            futures = client.map(lambda x: time.sleep(0.2) or x, range(4))
        cell = await asyncio.wait_for(next_cell(), 10)  # It waits for no sample.
        monkeypatch.undo()
        sampler._due.set()
        assert (cell.kernel, cell.cell, cell.n_tasks, cell.ended) == ("k", "c", 4, None)
        await client.gather(futures)
        while cell.ended is None:
            cell = await asyncio.wait_for(next_cell(), 10)
        assert (cell.n_done, cell.n_running, cell.n_failed) == (4, 0, 0)
    assert b"secret" not in sampler._cells_line and b"private" not in sampler._cells_line
    await listening.aclose()
    sampler.stop()
    await view.close()


async def test_failed_cell_without_results_ends(cluster, tmp_path):
    """As `compute` does: Dask forgets the error with the task."""
    view = InProcessScheduler(cluster.scheduler)
    log = CellLog(tmp_path / "cells")

    def fail(x: int) -> int:
        time.sleep(0.3)
        raise ZeroDivisionError("no zero")

    async with Client(cluster, asynchronous=True) as client:
        with cell_span("lab [1]", "run-1", {"id": "run-1", "kernel": "k", "cell": "c"}):
            futures = client.map(fail, range(8), key=[("fail", i) for i in range(8)])
        with pytest.raises(ZeroDivisionError):
            await client.gather(futures)
        for future in futures:
            future.release()
        await until_async(lambda: any(cell["ended"] is not None for cell in view.cells()))
        log.add(view.cells(), {"workers": ()})
    [cell] = [progress for progress in log.recent() if progress is not None]
    assert cell.n_failed >= 1
    assert cell.n_failed + cell.n_cancelled == cell.n_tasks == 8
    [written] = read_cells(tmp_path / "cells")
    assert written.groups[0].error == "ZeroDivisionError: no zero"
    assert 0.3 <= written.groups[0].first_seconds <= written.seconds < 60
    await view.close()


async def test_failure_belongs_to_its_cell(cluster):
    view = InProcessScheduler(cluster.scheduler)
    async with Client(cluster, asynchronous=True) as client:
        with cell_span("lab [1]", "run-1", {"id": "run-1", "kernel": "k", "cell": "c"}):
            held = client.submit(int, "7", key=("kind", 0))
        assert await held == 7
        with cell_span("lab [2]", "run-2", {"id": "run-2", "kernel": "k", "cell": "d"}):
            failing = client.submit(int, "seven", key=("kind", 1))
        with pytest.raises(ValueError, match="seven"):
            await failing
        failing.release()
        await until_async(lambda: ("kind", 1) not in cluster.scheduler.tasks)
        groups = {cell["id"]: cell["groups"][0] for cell in view.cells()}
    found = {id: (one["n_done"], one["n_failed"], one["n_cancelled"], one["error"]) for id, one in groups.items()}
    error = "ValueError: invalid literal for int() with base 10: 'seven'"
    assert found == {"run-1": (1, 0, 0, None), "run-2": (0, 1, 0, error)}
    await view.close()


@pytest.fixture
def history():
    return sampling.History("0000000a")


def columns(n_workers, value=1.0, **more):
    names = [f"w{number}" for number in range(n_workers)]
    return {"workers": names, "cpu_percent": [value] * n_workers, "memory_bytes": [1000] * n_workers, **more}


def decoded(history):
    return TelemetryHistory.model_validate_json(history.encoded())


def test_nothing_has_happened_yet(history):
    model = decoded(history)
    assert (model.id, model.seconds, model.workers) == ("0000000a", [], {})


def test_totals_and_workers(history):
    history.add({**columns(2), "cpu_percent": [10, 30], "processing": [1, 2]}, 100.0)
    history.add({**columns(2), "cpu_percent": [None, 50], "processing": [0, 0]}, 101.0)
    model = decoded(history)
    assert model.seconds == model.worker_seconds == [-1.0, 0.0]
    assert model.cpu_percent == [20, 50], "the mean of the reported figures"
    assert model.memory_bytes == [2000, 2000]
    assert model.processing == [3, 0]
    assert model.vram_used_bytes == [None, None]
    assert model.workers["w0"].cpu_percent == [10, None]
    assert model.workers["w1"].cpu_percent == [30, 50]
    assert model.workers["w0"].vram_used_bytes is None, "it has no GPU"


def test_workers_on_one_device_count_it_once(history):
    devices = {"device": ["GPU-1", "GPU-1", "GPU-2", None], "vram_used_bytes": [5, 5, 7, 1]}
    history.add({**columns(4), **devices}, 100.0)
    assert decoded(history).vram_used_bytes == [13]
    history.add({**columns(3), **devices, "gpu_utilization_percent": [90, 90, 0]}, 101.0)
    assert decoded(history).gpu_utilization_percent == [None, 45]
    assert decoded(history).n_workers == [4, 3]


def test_ten_minutes_and_no_more(history):
    for second in range(1000):
        history.add(columns(2, value=second), float(second))
    model = decoded(history)
    assert len(model.seconds) == len(model.cpu_percent) == 600
    assert model.seconds[0] == model.worker_seconds[0] == -599
    assert model.workers["w1"].cpu_percent[-1] == model.cpu_percent[-1] == 999


@pytest.mark.parametrize(("n_workers", "points"), [(0, 600), (1, 600), (33, 600), (100, 200), (1000, 20), (9000, 20)])
def test_many_workers_have_fewer_points_each(n_workers, points):
    assert sampling.points_per_worker(n_workers) == points


def test_a_thousand_workers_fit(history):
    for moment in range(0, 1200, 6):
        history.add(columns(1000), float(moment))
    model = decoded(history)
    assert len(model.seconds) == 100, "one every six seconds"
    assert 18 <= len(model.worker_seconds) <= 20
    assert sum(len(worker.cpu_percent) for worker in model.workers.values()) <= sampling.MOST_WORKER_POINTS
    assert model.worker_seconds[0] <= -500, "less than ten minutes"


def test_rows_become_coarse_with_many_workers(history):
    for second in range(300):
        history.add(columns(2, value=second), float(second))
    history.add(columns(400, value=7.0), 330.0)
    model = decoded(history)
    assert len(model.worker_seconds) <= sampling.points_per_worker(400)
    assert model.worker_seconds == sorted(model.worker_seconds)
    assert model.worker_seconds[-1] == 0.0
    assert model.workers["w0"].cpu_percent[-1] == model.workers["w399"].cpu_percent[-1] == 7.0
    assert set(model.workers["w399"].cpu_percent[:-1]) == {None}


def test_worker_is_forgotten_after_ten_minutes(history):
    history.add(columns(2), 0.0)
    history.add(columns(1), 500.0)
    assert decoded(history).workers["w1"].cpu_percent == [1.0, None]
    history.add(columns(1), 601.0)
    assert set(decoded(history).workers) == {"w0"}


def test_thinning_keeps_the_newest():
    series = sampling.Series(["x"])
    for number in range(10):
        series.append(float(number), {"x": float(number)})
    series.forget(before=0.0, most=3)
    assert list(series.times) == list(series.values["x"]) == [1.0, 5.0, 9.0]


def test_other_load_excludes_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=0.0, busy=0.0)
    monkeypatch.setattr(psutil, "cpu_count", lambda: 2)
    times = SimpleNamespace(monotonic=lambda: clock.now, process_time=lambda: 0.1 * clock.now)
    monkeypatch.setattr(sampling, "time", times)
    monkeypatch.setattr(psutil, "cpu_times", lambda: SimpleNamespace(user=clock.busy, idle=5.0))
    load = sampling.OtherLoad(2)
    assert load.read({"cpu_percent": (10.0, 20.0)}) == {}
    for _ in range(3):
        clock.now += sampling.MEAN_SECONDS
        clock.busy += 2 * sampling.MEAN_SECONDS
        figures = load.read({"cpu_percent": (10.0, 10.0, None)})
    assert figures == {"host_others_cores": 1.7}
    clock.now += sampling.MEAN_SECONDS
    assert load.read({"cpu_percent": (190.0,)}) == {"host_others_cores": 0.0}, "never less than none"
    clock.now += 3600
    clock.busy += 2 * 3600
    assert load.read({"cpu_percent": (10.0,)}) == {}, "a gap of an hour says nothing about the last seconds"
    clock.now += sampling.MEAN_SECONDS
    assert load.read({"cpu_percent": (10.0,)}) == {"host_others_cores": 0.0}
    other = sampling.OtherLoad(1)
    clock.now += sampling.MEAN_SECONDS
    assert other.read({}) == {}, "unknown for a part of the machine"
