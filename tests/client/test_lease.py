"""Workers for a with block, which end with it or its process."""

import os
import signal
from contextlib import suppress

import dask.array as array
import gpucluster
import psutil
import pytest
from gpucluster.protocol.errors import ClusterEnded, InvalidRequest, InvalidState, NameTaken

HOLDER = """
import os, sys, time, gpucluster
with gpucluster.lease(memory_limit="512 MiB") as client:
    child = os.fork()
    if not child:
        time.sleep(600)
        os._exit(0)
    print(client.cluster.id, child, flush=True)
    time.sleep(600)
"""


def test_a_block_has_workers_that_end_with_it(site, capsys):
    site.running(name="mine")
    with gpucluster.connect("mine").get_client() as before:
        lease = gpucluster.lease(memory_limit="512 MiB")
        with pytest.raises(ZeroDivisionError), lease as client:
            model = lease.cluster.model
            assert (model.name, model.n_workers, model.lease.scope) == ("lease-1", 1, "block")
            assert model.lease.pid == os.getpid()
            assert client.submit(os.getpid).result() == model.workers[0].pid
            with pytest.raises(InvalidState, match=r"^Leases cannot be nested: .* 'lease-1'.* n_workers=2\.$"):
                gpucluster.lease().__enter__()
            done, kept = client.submit(sum, [1, 41]), array.ones(4).persist()
            1 / 0  # noqa: B018
        assert capsys.readouterr().err.startswith("'lease-1' has 1 CPU worker for this block. No GPU here: ")
        last = site.get("lease-1")
        assert (last.state.value, last.reason) == ("stopped", "The block that held the lease has ended.")
        assert not any(psutil.pid_exists(worker.pid) for worker in model.workers)
        # The earlier client is the default again, but cannot compute lost results.
        assert before.submit(sum, [1, 2]).result() == 3
        assert array.ones(3).sum().compute() == 3
        for ask in (done.result, kept.sum().compute, lambda: before.submit(sum, [done]).result()):
            lost = r"^The cluster 'lease-1' was stopped at .* Its workers' results are lost"
            with pytest.raises(ClusterEnded, match=lost):
                ask()
    assert array.ones(3).sum().compute() == 3
    with pytest.raises(ClusterEnded, match=r"Take results out of a lease before it ends, with result\(\) or"):
        kept.sum().compute()
    with pytest.raises(InvalidState, match="enter it"):
        gpucluster.lease().cluster  # noqa: B018


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_workers": 0}, "n_workers: a lease has at least 1 worker."),
        ({"n_workers": -1}, "n_workers: must be at least 0, not -1."),
        ({"nonsense": 1}, "nonsense: is not an option of this request."),
        ({"timeout": "soon"}, "timeout: "),
        ({"backend": "nothing"}, "backend: "),
    ],
)
def test_impossible_lease_is_refused(site, options, sentence):
    with pytest.raises(InvalidRequest) as told, gpucluster.lease(**options):
        raise AssertionError("it was leased")
    assert str(told.value).startswith(sentence)
    assert site.control.list() == []


async def test_with_coroutines(site):
    with pytest.raises(NameTaken):
        async with gpucluster.lease(name="once", memory_limit="512 MiB", asynchronous=True) as client:
            assert await client.submit(sum, [1, 41]) == 42
            assert client.cluster.model.lease is not None
            site.create(name="once")
    assert site.get("once").state.value == "stopped"


@pytest.mark.linux("forks")
@pytest.mark.full
def test_two_simultaneous_holders_suspended_and_killed(site, wait_until):
    holders = [site.python(HOLDER) for _ in range(2)]
    children = []
    try:
        told = [holder.stdout.readline().split() for holder in holders]
        children = [int(child) for _, child in told]
        names = sorted(site.get(id).name for id, _ in told)
        assert names == ["lease-1", "lease-2"]
        (suspended, _), (killed, _) = told
        holders[0].send_signal(signal.SIGSTOP)
        holders[1].send_signal(signal.SIGKILL)
        # Its child inherited its open files and continues.
        model = site.wait_for(killed, lambda model: model.state.ended)
        assert model.state.value == "stopped"
        assert model.reason == f"The holder of the lease (Python, process {holders[1].pid}) ended without releasing it."
        wait_until(lambda: not psutil.pid_exists(model.pid))
        assert site.get(suspended).state.value == "running", "a suspended holder keeps its lease"
        holders[0].send_signal(signal.SIGKILL)
        site.wait_for(suspended, lambda model: model.state.ended)
    finally:
        for child in children:  # Each has its holder's pipes.
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        for holder in holders:
            holder.kill()
            holder.communicate()
