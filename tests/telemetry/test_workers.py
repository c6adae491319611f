"""The figures of real workers, through supervisor and socket: also of later and restarted workers."""

import gpucluster
import pytest
from gpucluster.protocol.errors import InvalidState
from gpucluster.protocol.models import ClusterState

MIB = 2**20


@pytest.fixture(scope="module")
def shared_cluster(shared_site):
    """With TLS, so that a worker without gpucluster can join."""
    return shared_site.running(name="shared", n_workers=2, protocol="tls", idle_timeout_seconds=None)


@pytest.fixture
def connection(shared_site, shared_cluster):
    shared_site.control.patch("shared", {"n_workers": 2})
    shared_site.wait_for("shared", settled(2))
    client = gpucluster.connect("shared").get_client()
    yield client
    client.close()


def address(connection, name):
    """Return the address of a worker; in Dask its name is a number."""
    workers = connection.scheduler_info(n_workers=-1)["workers"]
    return next(address for address, worker in workers.items() if str(worker["name"]) == name)


def settled(n_workers):
    return lambda model: model.state is ClusterState.RUNNING and model.n_workers == n_workers


@pytest.fixture
def sample(shared_site, shared_cluster, wait_until):
    """Return a sample once it meets a condition."""

    def wait(condition):
        cluster = gpucluster.connect("shared")
        taken = []

        def holds():
            taken[:] = [cluster.telemetry()]
            return condition(taken[0])

        wait_until(holds, what=lambda: taken)
        return taken[0]

    return wait


def progress_of(sample, prefix):
    return next((one for one in sample.progress if one.prefix == prefix), None)


def complete(n_workers):
    """Return a condition: every worker has sent our figures."""
    return lambda sample: len(sample.workers) == n_workers and None not in sample.column("sent_bytes")


def test_workers_report_all_figures(sample, connection):
    found = sample(complete(2))
    assert found.workers == ["0", "1"]
    assert found.n_threads == 1
    assert found.column("memory_limit_bytes") == [512 * MIB] * 2
    assert all(20 * MIB < memory < 512 * MIB for memory in found.column("memory_bytes"))
    assert found.column("tier_disk_bytes") == [0, 0], "it could spill, but did not"
    assert found.column("device") == found.column("vram_used_bytes") == [None, None]
    assert found.column("device_error") == [None, None]


@pytest.mark.full
def test_later_workers_report_the_same(sample, connection, shared_site):
    sample(complete(2))
    shared_site.control.patch("shared", {"n_workers": 4})
    assert sample(complete(4)).workers == ["0", "1", "2", "3"]
    shared_site.control.patch("shared", {"n_workers": 2})
    sample(complete(2))


@pytest.mark.full
def test_workers_report_after_restart(sample, connection, shared_site, wait_until):
    before = {worker.pid for worker in shared_site.get("shared").workers}
    shared_site.control.restart("shared", wait=False)
    shared_site.wait_for(
        "shared", lambda model: settled(2)(model) and before.isdisjoint({worker.pid for worker in model.workers})
    )
    sample(complete(2))


@pytest.mark.full
def test_what_is_spilled_shows(sample, connection):
    # Spilling begins at 70 % of 512 MiB, of which an empty worker takes 70 MiB. The steps are small, because the worker
    # is killed at 95 %.
    data = connection.map(lambda n: bytes([n]) * (10 * MIB), range(34), pure=False, workers=[address(connection, "0")])
    spilled = sample(lambda found: (found.column("tier_disk_bytes")[0] or 0) > 0)
    assert spilled.column("tier_disk_bytes")[1] == 0, "the other worker has nothing to spill"
    held = spilled.column("managed_bytes")[0]
    assert held == spilled.column("tier_host_bytes")[0]
    assert 0 < held < 512 * MIB
    assert spilled.column("in_memory")[0] > 0
    assert spilled.tasks
    del data
    sample(lambda found: found.column("tier_disk_bytes") == [0, 0] and found.column("in_memory") == [0, 0])


def test_what_workers_send_each_other_is_counted(sample, connection):
    before = sample(complete(2))
    source = connection.submit(lambda: b"x" * (10 * MIB), pure=False, workers=[address(connection, "0")])
    assert connection.submit(len, source, pure=False, workers=[address(connection, "1")]).result(60) == 10 * MIB
    sent, received = before.column("sent_bytes")[0], before.column("received_bytes")[1]
    # Workers report one after the other.
    after = sample(lambda found: found.column("received_bytes")[1] > received and found.column("sent_bytes")[0] > sent)
    assert after.column("received_bytes")[1] - received == pytest.approx(10 * MIB, rel=0.01)
    assert after.column("sent_bytes")[0] - sent == pytest.approx(10 * MIB, rel=0.01)
    assert after.column("received_bytes")[0] == before.column("received_bytes")[0]


@pytest.mark.full
def test_shuffles_are_counted(sample, connection):
    import dask
    import dask.dataframe as dd
    import numpy as np
    import pandas as pd

    before = sample(complete(2))
    table = pd.DataFrame({"key": np.random.default_rng(0).permutation(400_000), "value": np.arange(400_000.0)})
    with dask.config.set({"dataframe.shuffle.method": "p2p"}):
        frame = dd.from_pandas(table, npartitions=8).shuffle("key")
        assert int(frame.map_partitions(len).sum().compute(scheduler=connection)) == 400_000

    def moved(found):
        return [sum(found.column(name)) - sum(before.column(name)) for name in ("sent_bytes", "received_bytes")]

    size = table.memory_usage(index=True).sum()

    def agree(found):
        sent, received = moved(found)
        # About half of the data goes to the other worker, a little to and from the client. Workers report one after
        # the other: one may have reported bytes as received before the other reports them as sent.
        return min(sent, received) > size / 4 and received == pytest.approx(sent, rel=0.2)

    assert max(moved(sample(agree))) < 2 * size


@pytest.mark.full
def test_progress_is_reported_by_kind(sample, connection):
    def slowly(x):
        import time

        time.sleep(0.3)
        return x

    futures = connection.map(slowly, range(40), pure=False)
    running = sample(lambda found: max(found.column("executing")) == 1 and progress_of(found, "slowly"))
    progress = progress_of(running, "slowly")
    assert progress.waiting + progress.processing + progress.in_memory == 40
    assert progress.processing > 0
    connection.gather(futures)
    done = sample(lambda found: found.tasks.get("memory") == 40)
    assert done.progress[-1].prefix == "slowly"
    assert done.progress[-1].in_memory == 40


def test_history_is_sent_to_new_views(sample, connection, shared_site):
    sample(complete(2))
    history = shared_site.control.history(shared_site.get("shared").id)
    assert len(history.seconds) == len(history.cpu_percent) == len(history.memory_bytes) > 2
    assert history.seconds[-1] == 0
    assert {"0", "1"} <= set(history.workers)
    assert history.workers["0"].memory_bytes[-1] > 20 * MIB


@pytest.mark.full
def test_worker_without_gpucluster_reports_dask_figures(sample, connection, shared_site):
    """A worker of an older or foreign environment cannot import our module."""
    model = shared_site.get("shared")
    folder = shared_site.registry.folder(model.id)
    code = """
import sys
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("gpucluster"):
            raise ImportError(name)
sys.meta_path.insert(0, Nothing())
import asyncio
from distributed import Worker
from distributed.security import Security
async def main(address, tls):
    ca, cert, key = f"{tls}/ca.pem", f"{tls}/cert.pem", f"{tls}/key.pem"
    security = Security(tls_ca_file=ca, tls_worker_cert=cert, tls_worker_key=key, require_encryption=True)
    async with Worker(address, name="foreign", security=security, nthreads=1, dashboard=False) as worker:
        await worker.finished()
asyncio.run(main(*sys.argv[1:]))
"""
    process = shared_site.python(code, model.scheduler_address, str(folder.tls))
    try:
        found = sample(lambda sample: "foreign" in sample.workers and process.poll() is None)
        place = found.workers.index("foreign")
        assert found.column("memory_bytes")[place] > 20 * MIB
        assert found.column("sent_bytes")[place] is None
    finally:
        process.kill()
        process.communicate()


@pytest.mark.full
def test_ended_cluster_has_no_figures(site):
    model = site.running()
    site.control.stop(model.id)
    with pytest.raises(InvalidState):
        site.control.history(model.id)
