"""Canaries: a scheduler's state, read and changed from within its process."""

import asyncio
import inspect
import operator
import pickle
import sys
import time
from types import SimpleNamespace

import distributed
import pytest
from distributed import Client, Scheduler, SchedulerPlugin, Worker, WorkerPlugin
from gpucluster.dask_internals import scheduler_state as state
from gpucluster.dask_internals.other_packages import close_connections


def test_clients(here, canary, wait_until):
    with canary("Scheduler.clients, with 'fire-and-forget' beside the ids of clients"):
        # Not finished yet: Dask keeps the result of a finished task for ever.
        distributed.fire_and_forget(here.client.submit(time.sleep, 0.5, pure=False))
        wait_until(lambda: "fire-and-forget" in here.scheduler.clients)
        assert state.client_names(here.scheduler) == [here.client.id]
    with canary("Scheduler.client_comms, without what holds results and has no connection"):
        kept = here.client.submit(int, 2, pure=False)
        variable, queue = (
            distributed.Variable("kept", client=here.client),
            distributed.Queue("waiting", client=here.client),
        )
        variable.set(kept)
        queue.put(kept)
        here.client.publish_dataset(kept, name="published")
        wait_until(lambda: len(here.scheduler.clients) >= 4)
        assert state.client_names(here.scheduler) == [here.client.id]
        wanted = state.n_wanted_results(here.scheduler)
        kept.release()
        wait_until(lambda: state.n_wanted_results(here.scheduler) < wanted)
        here.client.unpublish_dataset("published")
        queue.get()
        variable.delete()
    with canary("Client(name=) is a part of its id"):
        kernel = "1b2c3d4e-1111-2222-3333-444444444444"
        assert state.kernels_of(here.scheduler) == []
        name = state.name_for_kernel(kernel)
        with Client(here.client.scheduler.address, name=name, set_as_default=False) as of_kernel:
            assert state.kernels_of(here.scheduler) == [kernel]
            assert state.clients_of_kernel(here.scheduler, kernel) == [of_kernel.id]
            assert state.kernel_of(of_kernel.id) == kernel and state.kernel_of(here.client.id) is None
        wait_until(lambda: state.kernels_of(here.scheduler) == [])
    with canary("'-worker-' in the ids of clients that tasks make"):
        name = here.client.submit(lambda: distributed.get_client().id, pure=False).result(30)
        assert "-worker-" in name
        assert state.is_of_a_worker(name)
        assert not state.is_of_a_worker(here.client.id)
        assert state.clients_of_people(here.scheduler) == [here.client.id]


def test_work(here, canary, wait_until):
    wait_until(lambda: not state.has_work(here.scheduler))
    with canary("WorkerState.processing and Scheduler.queued"):
        tasks = here.client.map(lambda _: time.sleep(0.3), range(8), pure=False)
        wait_until(lambda: state.has_work(here.scheduler))
        assert here.scheduler.queued or any(worker.processing for worker in here.scheduler.workers.values())
        assert state.is_computing(here.scheduler)
        here.client.cancel(tasks)
    wait_until(lambda: not state.has_work(here.scheduler))
    assert not state.is_computing(here.scheduler)
    with canary("Scheduler.unrunnable"):
        nowhere = here.client.submit(int, 1, pure=False, resources={"nowhere": 1})
        wait_until(lambda: here.scheduler.unrunnable)
        assert state.has_work(here.scheduler)
        assert state.n_without_worker(here.scheduler) == 1
        nowhere.cancel()
    wait_until(lambda: not state.has_work(here.scheduler))


def test_bytes_kept(here, canary):
    with canary("ClientState.wants_what"):
        before = state.bytes_kept_for(here.scheduler, here.client.id)
        kept = here.client.submit(bytes, 1_000_000, pure=False)
        kept.result(30)
        assert state.bytes_kept_for(here.scheduler, here.client.id) - before >= 1_000_000
        assert state.bytes_kept_for(here.scheduler, "unknown") == 0
        assert state.n_wanted_results(here.scheduler) >= 1
        failed = here.client.submit(divmod, 1, 0, pure=False)
        assert failed.exception(30)
        held = here.scheduler.clients[here.client.id].wants_what
        assert state.n_wanted_results(here.scheduler) < len(held), "a failed task has no result"


def test_kinds_of_tasks(here, canary):
    def canary_kind(x: int) -> int:
        return x

    with canary("Scheduler.task_prefixes with TaskPrefix.states, and TaskState.prefix"):
        futures = here.client.map(canary_kind, range(3), pure=False)
        here.client.gather(futures)
        assert state.prefixes(here.scheduler)["canary_kind"].states["memory"] == 3
        assert state.n_unfinished(here.scheduler, ("memory",)) >= 3
        assert state.prefix_of(here.scheduler, futures[0].key) == "canary_kind"
        assert state.prefix_of(here.scheduler, "never seen") == "never seen"


def test_copies(here, canary, wait_until):
    with canary("Scheduler.replicated_tasks"):
        before = state.n_copies(here.scheduler)
        kept = here.client.submit(bytes, 100, pure=False)
        here.client.replicate(kept)
        wait_until(lambda: state.n_copies(here.scheduler) == before + 1)


def test_transitions(here, canary):
    with canary("Scheduler.transition_counter and Scheduler.transition_log"):
        before = state.n_transitions(here.scheduler)
        kept = here.client.submit(int, 1, pure=False)
        kept.result(30)
        new = state.transitions_since(here.scheduler, before)
        assert (kept.key, "processing", "memory") in new
        assert state.transitions_since(here.scheduler, state.n_transitions(here.scheduler)) == []


class Facts(SchedulerPlugin):
    name = "canary-facts"

    def __init__(self) -> None:
        self.seen: dict[str, dict[str, object]] = {}

    def transition(self, key, start, finish, *args, **kwargs):
        if start == "processing" and finish in ("memory", "erred"):
            self.seen[key] = state.transition_facts(kwargs)


def test_facts_of_a_transition(here, canary, wait_until):
    plugin = Facts()
    here.scheduler.add_plugin(plugin)
    try:
        with canary("startstops, nbytes, worker and thread in SchedulerPlugin.transition"):
            done = here.client.submit(bytes, 5000, pure=False)
            done.result(30)
            facts = wait_until(lambda: plugin.seen.get(done.key))
            [(_, start, stop)] = [step for step in facts["steps"] if step[0] == "compute"]
            assert start <= stop
            assert facts["n_bytes"] >= 5000
            assert facts["worker"] in here.scheduler.workers
            assert facts["thread"]
        with canary("exception_text in SchedulerPlugin.transition"):
            failed = here.client.submit(lambda: 1 / 0, pure=False)
            assert failed.exception(30)
            assert "ZeroDivisionError" in wait_until(lambda: plugin.seen.get(failed.key))["exception"]
    finally:
        with canary("Scheduler.plugins, a dictionary by name"):
            assert plugin.name in here.scheduler.plugins
            state.remove_plugin(here.scheduler, plugin.name)
            assert plugin.name not in here.scheduler.plugins
            state.remove_plugin(here.scheduler, plugin.name)


def test_task_stream(here, canary):
    """Lessons draw its records, and learners use them."""
    with canary("key, worker, thread, nbytes and startstops in the records of Client.get_task_stream"):
        here.client.get_task_stream()  # The first call starts the recording.
        done = here.client.submit(bytes, 5000, pure=False)
        done.result(30)
        [record] = [one for one in here.client.get_task_stream() if one["key"] == done.key]
        assert {"worker", "thread", "nbytes"} <= record.keys()
        [step] = [step for step in record["startstops"] if step["action"] == "compute"]
        assert step["start"] <= step["stop"]


async def _joined(here, name):
    return await Worker(here.scheduler.address, name=name, nthreads=1, host="127.0.0.1", dashboard=False)


def test_workers_that_leave(here, canary, wait_until):
    with canary("Scheduler.retire_workers(names=…), answering by address"):
        leaver = here.client.sync(_joined, here, "leaver")
        address = leaver.address
        kept = here.client.submit(bytes, 100, pure=False, workers=["leaver"])
        kept.result(30)
        assert here.client.sync(state.retire, here.scheduler, ["leaver"]) == {address}
        assert kept.result(30) == bytes(100), "it was moved"
    with canary("'expected' in the events of a worker that leaves, or a status that begins with 'closing'"):
        wait_until(lambda: address not in here.scheduler.workers)
        assert state.left_on_purpose(here.scheduler, address)
    with canary("Scheduler.remove_worker(stimulus_id=…, expected=…, close=…)"):
        named = here.client.sync(_joined, here, "named")
        here.client.sync(state.remove_worker_named, here.scheduler, "unknown", close=True)
        here.client.sync(state.remove_worker_named, here.scheduler, "named", close=True)
        assert named.address not in here.scheduler.workers
        wait_until(lambda: named.status.name == "closed")
    with canary("events that distinguish a worker that dies from one that leaves"):
        victim = here.client.sync(_joined, here, "victim")
        lost = [here.client.submit(bytes, number, pure=False, workers=["victim"]) for number in range(2)]
        lost.append(here.client.scatter(b"no task has made this", workers=[victim.address], hash=False))
        for future in lost:
            future.result(30)
        here.client.sync(_abort, here, victim)
        wait_until(lambda: victim.address not in here.scheduler.workers)
        assert not state.left_on_purpose(here.scheduler, victim.address)
        *results, data = (future.key for future in lost)
        assert state.group_of_lost(here.scheduler, results[0]) is here.scheduler.tasks[results[0]].group
        assert state.group_of_lost(here.scheduler, "unknown") is None
        assert state.left_behind(here.scheduler, victim.address) == (set(results), {data}, [])
        assert not state.was_too_big(here.scheduler, victim.address)
        missing = state.still_missing(here.scheduler, [*results, data, "unknown"])
        assert missing == set(results), "their worker is gone, and they may run nowhere else"
        part = here.client.submit(int, 1, pure=False, resources={"nowhere": 1})
        whole, key = here.client.submit(str, part, pure=False), part.key
        wait_until(lambda: state.still_missing(here.scheduler, [whole.key]))
        assert state.only_for(here.scheduler, [key], [whole.key]) == set(), "a client wants it as well"
        del part
        wait_until(lambda: state.only_for(here.scheduler, [key], [whole.key]) == {key})
        assert state.only_for(here.scheduler, [key], []) == set()
        here.scheduler.log_event("worker-restart-memory", {"worker": victim.address, "pid": 1, "rss": 1})
        assert state.was_too_big(here.scheduler, victim.address)
        assert state.left_behind(here.scheduler, "tcp://unknown:1") == (set(), set(), [])
        here.client.sync(victim.close, nanny=False)


def test_failures_and_results(here, canary, wait_until):
    with canary("TaskState.exception_blame, .exception_text, .traceback_text, .erred_on"):
        failed = here.client.submit(divmod, 1, 0, pure=False, workers=[here.worker.address])
        depends = here.client.submit(str, failed, pure=False)
        wait_until(lambda: depends.status == "error")
        failure = state.own_failure(here.scheduler, failed.key)
        assert failure["task"] == "divmod"
        assert failure["error"].startswith("ZeroDivisionError(")
        assert failure["worker"] == str(here.worker.name)
        assert state.own_failure(here.scheduler, depends.key) is None, "the other task failed"
        assert state.own_failure(here.scheduler, "unknown") is None
    with canary("TaskState.group, .prefix, .nbytes, .type, .who_wants, TaskGroup.name"):
        held = here.client.submit(bytes, 5000, pure=False, workers=[here.worker.address])
        held.result(30)
        worker = here.scheduler.workers[here.worker.address]
        found = [one for one in state.results_of(worker) if one[1] == "bytes"]
        assert [(one[0], one[3], one[4]) for one in found] == [("bytes", "bytes", (here.client.id,))]
        assert found[0][2] >= 5000
    with canary("Scheduler.client_releases_keys(keys, client), and clients that follow 'cancelled-keys'"):
        assert here.client.sync(_release, here.scheduler, here.client.id, "bytes") == 1
        wait_until(lambda: held.status == "cancelled" and held.key not in here.scheduler.tasks)


async def _release(scheduler, client, group):
    return state.release_results(scheduler, client, group, "Released.")


async def _abort(here, worker):
    here.scheduler.stream_comms[worker.address].abort()


def test_retiring_is_broken_off(here, canary, wait_until):
    """A worker whose result no other worker can take waits until its retirement is cancelled."""
    from distributed.active_memory_manager import RetireWorker

    with canary("Scheduler.extensions['amm'].policies and RetireWorker.address, .no_recipients"):
        manager = here.scheduler.extensions["amm"]
        address = here.worker.address

        async def begin_and_cancel() -> None:
            policy = RetireWorker(address)
            manager.add_policy(policy)
            assert policy in manager.policies
            state.cancel_retiring(here.scheduler, {here.other.address})
            assert policy in manager.policies, "another worker's policy was cancelled"
            state.cancel_retiring(here.scheduler, {address})
            assert policy not in manager.policies
            assert policy.no_recipients
            assert policy.done()

        here.client.sync(begin_and_cancel)


class Given(WorkerPlugin):
    def setup(self, worker):
        worker.canary_was_given = True

    def teardown(self, worker):
        del worker.canary_was_given


def test_plugins_of_workers(here, canary):
    import cloudpickle

    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)
    try:
        pickled = cloudpickle.dumps(Given())
    finally:
        cloudpickle.unregister_pickle_by_value(module)
    with canary("Scheduler.register_worker_plugin(comm, plugin, name, idempotent)"):
        here.client.sync(state.give_worker_plugin, here.scheduler, pickled, "canary-given")
        assert here.worker.canary_was_given
        assert here.other.canary_was_given
    with canary("Scheduler.worker_plugins and Scheduler.unregister_worker_plugin(comm, name)"):
        here.client.sync(state.take_worker_plugin, here.scheduler, "canary-given")
        assert not hasattr(here.worker, "canary_was_given")
        here.client.sync(state.take_worker_plugin, here.scheduler, "canary-given")
    with canary("the scheduler's handlers register_worker_plugin and unregister_worker_plugin"):
        here.client.sync(state.give_worker_plugin_elsewhere, here.client, pickled, "canary-given")
        assert "canary-given" in here.worker.plugins and "canary-given" in here.scheduler.worker_plugins
        here.client.sync(state.take_worker_plugin_elsewhere, here.client, "canary-given", seconds=10)
        assert "canary-given" not in here.worker.plugins
    assert pickle.loads(pickled)


def test_allowed_failures(here, canary):
    with canary("Scheduler.allowed_failures"):
        before = state.allowed_failures(here.scheduler)
        state.set_allowed_failures(here.scheduler, before + 1)
        assert here.scheduler.allowed_failures == before + 1
        state.set_allowed_failures(here.scheduler, before)


def test_restart_from_within(here, canary):
    """Only its signature: workers without a nanny are not restarted."""
    with canary("Scheduler.restart(stimulus_id=…, timeout=…, wait_for_workers=…)"):
        inspect.signature(here.scheduler.restart).bind(stimulus_id="canary", timeout=1.0, wait_for_workers=True)
        assert inspect.iscoroutinefunction(state.restart_workers)


async def test_restart_does_not_count_an_old_worker_that_is_still_connected() -> None:
    workers = {"old-0": None, "old-1": None}

    async def restart(**_: object) -> None:
        """As Dask does: one has come back, and one of the old ones has not gone yet."""
        workers.pop("old-1", None)
        workers["new-1"] = None

    scheduler = SimpleNamespace(workers=workers, restart=restart)
    restarting = asyncio.create_task(state.restart_workers(scheduler, timeout=60))
    await asyncio.sleep(0)
    await asyncio.sleep(0.3)
    assert not restarting.done()
    workers.pop("old-0")
    await asyncio.sleep(0.3)
    assert not restarting.done()
    workers["new-0"] = None
    await asyncio.wait_for(restarting, 30)
    workers["old-0"] = None
    with pytest.raises(TimeoutError):
        await state.restart_workers(scheduler, timeout=0.2)


def test_forget_unreachable_worker(here, canary):
    with canary("Scheduler.remove_worker(address, stimulus_id=, close=), a coroutine"):
        assert inspect.iscoroutinefunction(inspect.unwrap(Scheduler.remove_worker))
        inspect.signature(Scheduler.remove_worker).bind(here.scheduler, "address", stimulus_id="why", close=False)
    n_workers = len(here.scheduler.workers)
    state.forget_worker(here.scheduler, "unknown")
    assert len(here.scheduler.workers) == n_workers


async def test_scheduler_reports_load(canary):
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    async with (
        distributed.LocalCluster(**options, asynchronous=True) as cluster,
        Client(cluster, asynchronous=True, set_as_default=False) as client,
    ):
        with canary("the scheduler's handler adaptive_target"):
            assert await state.target_elsewhere(client, 5.0) == 0
        with canary("the scheduler's handler workers_to_close"):
            assert await state.to_close_elsewhere(client, 1) == ["0"]
            assert await state.to_close_elsewhere(client, 1, pickle.dumps(operator.attrgetter("name"))) == ["0"]
        with canary("the scheduler's handler unregister"):
            (address,) = cluster.scheduler.workers
            await state.forget_worker_elsewhere(client, address)
            assert address not in cluster.scheduler.workers


def test_the_connections_of_kr8s_can_be_ended(canary):
    import kr8s.asyncio

    with canary("Api._session of kr8s"):
        assert "self._session = httpx.AsyncClient(" in inspect.getsource(kr8s.asyncio.Api)
    assert inspect.iscoroutinefunction(close_connections)
