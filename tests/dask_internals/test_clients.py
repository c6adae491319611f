"""Canaries: ``distributed.Client``, and its questions to its scheduler."""

import asyncio
import gc
import time
from concurrent.futures import CancelledError

import dask
import dask.array
import distributed
import pytest
from gpucluster.dask_internals import clients, scheduler_information
from gpucluster.dask_internals.scheduler_state import release_results

from tests.conftest import until_async

from .conftest import SCHEDULER


class Ended(Exception):
    pass


class Client(clients.ClientOfCluster):
    def after_the_end(self) -> Exception:
        return Ended("It has ended.")

    def hide_in_html(self, html: str) -> str:
        return html.replace(self.dashboard_link, "hidden")


def test_all_clients_are_known(here, canary):
    with canary("Client._instances and Client.id"):
        assert here.client.id in clients.client_ids()


async def test_a_client_ends_with_its_scheduler(canary):
    async with (
        distributed.Scheduler(**SCHEDULER) as scheduler,
        Client(scheduler.address, set_as_default=False, asynchronous=True) as client,
    ):
        with canary("Client._repr_html_() holding Client.dashboard_link"):
            link = client.dashboard_link
            assert link in distributed.Client._repr_html_(client)
            assert "hidden" in client._repr_html_()
            assert link not in client._repr_html_()
        with canary("Client._handle_report(), which returns when the scheduler says goodbye, and Client._close()"):
            scheduler.client_comms[client.id].send({"op": "stream-closed"})
            await until_async(lambda: client.status == "closed")
        with canary("Client._send_to_scheduler(msg), which raises ClosedClientError when the client is closed"):
            with pytest.raises(Ended):
                client._send_to_scheduler({"op": "anything"})
            assert issubclass(clients.ClosedClientError, clients.AFTER_THE_END)
        with canary("Client.scheduler, which is None when the client is closed, and looked up by these methods"):
            for name in clients._OF_THE_SCHEDULER:
                with pytest.raises(Ended):
                    getattr(client, name)()
        with canary("Client.futures, a dictionary"):
            assert client.futures == {}


def test_ended_default_client_refuses_until_replaced(here, canary):
    lazy = dask.delayed(sum)([1, 2])

    def refusal() -> Exception:
        return Ended("It has ended.")

    with canary("_set_global_client(client), and Dask asking the default client for asynchronous and get"):
        ended = clients.EndedClient(refusal)
        for ask in (lazy.compute, lazy.persist, lambda: distributed.default_client().submit):
            with pytest.raises(Ended):
                ask()
    with canary("_get_global_client(), which passes over those that are closed, and _global_client_index"):
        with distributed.Client(here.scheduler.address):
            assert lazy.compute() == 3
        assert lazy.compute() == 3
        assert ended.status == "closed"


def test_second_default_client_leaves_no_scheduler(here, canary):
    """As when a cell that makes a client runs twice; Dask's own clients leave theirs."""
    first, second = Client(here.scheduler.address), Client(here.scheduler.address)
    with canary("Client._set_config, which is left when the last default client closes"):
        assert dask.config.get("scheduler") == "dask.distributed"
        first.close()
        second.close()
        assert dask.config.get("scheduler", None) is None
        assert dask.delayed(sum)([1, 2]).compute() == 3


def test_default_client_is_taken_over(here, canary):
    class Cluster:
        scheduler_address = here.scheduler.address
        status = here.cluster.status

        def __await__(self):
            clients.take_over(self, Client)
            return asyncio.sleep(0).__await__()

    with canary("Client(cluster), the default client before it awaits the cluster; Client._asynchronous"):
        with distributed.Client(Cluster()) as client:
            assert type(client) is Client
            assert client._stream_handlers["cancelled-keys"] == client._handle_cancelled_keys
            assert client.submit(sum, [1]).result() == 1
    with distributed.Client(Cluster(), set_as_default=False) as client:
        assert type(client) is distributed.Client


def test_results_lost_with_client_raise(here, canary):
    with clients.ClientOfCluster(here.scheduler.address) as client:
        kept = dask.delayed(sum)([1, 2]).persist()
        distributed.wait(kept)
        assert client.futures
    with canary("Callback(start), which gets the graph, in which nothing stands for a future; Client.futures by key"):
        with pytest.raises(clients.ClosedClientError, match="The client that held a result is closed"):
            dask.delayed(abs)(kept).compute()
        assert dask.delayed(abs)(-1).compute() == 1
    other = clients.ClientOfCluster(here.scheduler.address)
    with canary('the reason "lost dependencies", Client.refcount, Expr.operands, GraphNode.dependencies'), other:
        for ask in (
            dask.delayed(abs)(kept).compute,
            dask.delayed(abs)(kept).persist().compute,
            lambda: distributed.wait(other.submit(abs, distributed.futures_of(kept)[0])),
            lambda: other.gather(other.map(abs, distributed.futures_of(kept))),
        ):
            with pytest.raises(CancelledError) as cancelled:
                ask()
            assert str(other.loss(cancelled.value)) == "The client that held a result is closed."
        assert other.loss(CancelledError("for another reason")) is None


def test_loss_names_the_futures_client(here, canary, wait_until):
    with clients.ClientOfCluster(here.scheduler.address, name="lost") as lost:
        gone = dask.delayed(sum)([1, 2]).persist()
        distributed.wait(gone)
    with clients.ClientOfCluster(here.scheduler.address, name="releases") as client:
        arrays = [dask.array.ones(8, chunks=chunks).persist() for chunks in (2, 4)]
        distributed.wait(arrays)
        released, kept = arrays
        group = distributed.futures_of(released)[0].key[0].rsplit("(")[0]
        with canary("Client._handle_cancelled_keys(keys, reason, msg), which cancels the states in Client.futures"):
            here.client.run_on_scheduler(_release, client.id, group)
            wait_until(lambda: distributed.futures_of(released)[-1].status == "cancelled")
            for ask in (
                released.sum().compute,
                lambda: distributed.wait(released),
                dask.delayed(len)(released).compute,
            ):
                with pytest.raises(CancelledError) as cancelled:
                    ask()
                assert str(client.loss(cancelled.value)) == "You released them."
            with pytest.raises(CancelledError) as cancelled:
                dask.delayed(abs)(gone).compute()
            assert str(client.loss(cancelled.value)) == "The client that held a result is closed."
            assert kept.sum().compute() == 8
        total = released.sum().persist()
        with pytest.raises(CancelledError):
            distributed.wait(total)
        again = dask.array.ones(8, chunks=2).persist()
        distributed.wait([again, again.sum().persist()])
        assert (again.sum().compute(), released.sum().compute()) == (8, 8), "the same keys, computed again"
    assert lost.status == "closed"


def _release(client, group, dask_scheduler=None):
    assert release_results(dask_scheduler, client, group, "You released them.")


async def test_results_lost_in_a_restart_raise(canary):
    async with (
        distributed.Scheduler(**SCHEDULER) as scheduler,
        distributed.Worker(scheduler.address, nthreads=1),
        clients.ClientOfCluster(scheduler.address, set_as_default=False, asynchronous=True) as client,
    ):
        kept = client.submit(sum, [1, 2])
        array = client.persist(dask.array.ones(4, chunks=2))
        assert await client.gather([kept, *distributed.futures_of(array)])
        with canary('Client._handle_restart(), which cancels for "scheduler-restart", and clears Client.futures'):
            await scheduler.restart(stimulus_id="test", wait_for_workers=False)
            await until_async(lambda: kept.cancelled())
            assert (client.futures, client.refcount) == ({}, {})
            total = client.compute(array.sum())
            for ask in (kept, total, client.submit(abs, total)):
                with pytest.raises(CancelledError) as cancelled:
                    await ask
                key = kept.key if ask is kept else distributed.futures_of(array)[0].key
                assert str(client.loss(cancelled.value)).startswith(str(key)[:8])


def test_as_distributed_has_it(here, canary):
    with canary("ClosedClientError(message)"):
        with clients.ClientOfCluster(here.scheduler.address, set_as_default=False) as client:
            assert isinstance(client.after_the_end(), clients.ClosedClientError)
            assert client.hide_in_html("html") == "html"


MAKE_FUTURES = {
    "submit": lambda client, lazy: client.submit(abs, -1),
    "map": lambda client, lazy: client.map(abs, [-1, -2]),
    "compute": lambda client, lazy: client.compute(lazy),
    "persist": lambda client, lazy: client.persist(lazy),
    "get": lambda client, lazy: lazy.compute(scheduler=client),
    "scatter": lambda client, lazy: client.scatter([1, 2], hash=False),
}


@pytest.mark.full
@pytest.mark.parametrize("call", MAKE_FUTURES.values(), ids=MAKE_FUTURES)
def test_stored_error_holds_no_futures(here, canary, interrupted, wait_until, call):
    lazy = dask.delayed(abs)(dask.delayed(abs)(-3))
    gc.collect()
    before = set(here.scheduler.tasks)

    with clients.ClientOfCluster(here.scheduler.address, set_as_default=False) as client:
        with canary("futures in frames of distributed, of what calls it, and of the event loop"):
            with pytest.raises(KeyboardInterrupt) as kept, interrupted(client.loop):
                call(client, lazy)
            time.sleep(0.2)  # until the messages arrive
            wait_until(lambda: set(here.scheduler.tasks) <= before)
        assert kept.value.__traceback__ is not None


async def test_a_scatter_that_is_cancelled_leaves_nothing(here, canary, monkeypatch):
    async with clients.ClientOfCluster(here.scheduler.address, set_as_default=False, asynchronous=True) as client:
        stored = asyncio.Event()
        scatter = client.scheduler.scatter

        async def slowly(**options):
            await scatter(**options)
            stored.set()
            await asyncio.sleep(0.05)

        with canary("the coroutine Client._scatter, which makes futures of what the scheduler has stored"):
            monkeypatch.setattr(type(client.scheduler), "scatter", staticmethod(slowly), raising=False)
            task = asyncio.ensure_future(client.scatter({"scattered-and-cancelled": 1}))
            await stored.wait()
            assert "scattered-and-cancelled" in here.scheduler.tasks
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await until_async(lambda: "scattered-and-cancelled" not in here.scheduler.tasks)


def test_unsendable_task_fails_repeatedly(here, wait_until):
    class Unsendable:
        def __reduce__(self):
            raise TypeError("cannot be sent")

        def __dask_tokenize__(self):
            return "unsendable"

    kept = []
    with clients.ClientOfCluster(here.scheduler.address, set_as_default=False) as client:
        for _ in range(2):
            with pytest.raises(TypeError, match="Could not serialize") as failed:
                client.submit(id, Unsendable()).result(timeout=20)
            kept.append(failed.value)
            wait_until(lambda: not client.futures)


def test_kept_results_are_read_at_once(here, canary):
    with canary("Client.scheduler.nbytes(keys=, summary=), who_has(keys=) and identity(n_workers=)"):
        future = here.client.scatter(bytes(1000), direct=False, workers=[here.worker.address])
        found: scheduler_information.Kept = scheduler_information.kept(here.client, [future.key, "unknown"])
        assert found.sizes[future.key] >= 1000
        assert list(found.holders[future.key]) == [here.worker.address]
        assert not found.holders.get("unknown")
        assert set(found.workers) == {here.worker.address, here.other.address}
        assert found.workers[here.worker.address]["nthreads"] == here.worker.state.nthreads
    with canary("scheduler_info(), which the client's own clock may replace by one without workers"):
        here.client.sync(here.client._update_scheduler_info)
        left = set() if distributed.__version__ >= "2026" else set(found.workers)  # 2025.9.1 still has them.
        assert set(here.client._scheduler_identity["workers"]) == left
        assert set(scheduler_information.known_workers(here.client)) == set(found.workers)
    with canary("Client.scheduler, None in a closed client"):
        with clients.ClientOfCluster(here.scheduler.address, set_as_default=False) as client:
            pass
        with pytest.raises(clients.ClosedClientError):
            scheduler_information.known_workers(client)
