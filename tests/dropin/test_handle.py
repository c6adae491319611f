"""Code written for Dask's clusters, run on a handle of gpucluster and on ``LocalCluster`` side by side."""

import asyncio
import pickle
import tempfile
import time
from pathlib import Path

import dask
import dask.array as da
import gpucluster
import numpy as np
import pytest
from distributed import Client, deploy
from distributed.security import Security
from gpucluster.protocol.errors import InvalidRequest, InvalidState
from tornado.ioloop import IOLoop

from tests.conftest import until

SECONDS = "90s"


def kind_and_status(cluster):
    return isinstance(cluster, deploy.Cluster), cluster == cluster, len({cluster, cluster}), cluster.status.name  # noqa: PLR0124


def client_of_cluster(cluster):
    with Client(cluster) as client:
        client.wait_for_workers(2, timeout=SECONDS)
        return client.submit(sum, [1, 2]).result(), client.cluster == cluster, client.status


def client_by_method(cluster):
    with cluster.get_client() as client:
        return sum(client.gather(client.map(abs, range(-3, 3))))


def names_of_workers(cluster):
    cluster.wait_for_workers(2, timeout=SECONDS)
    return set(cluster.workers), cluster.plan, cluster.requested, cluster.observed, set(cluster.worker_spec)


def specification_of_workers(cluster):
    return [(spec["options"]["nthreads"], "memory_limit" in spec["options"]) for spec in cluster.worker_spec.values()]


def properties_of_workers(cluster):
    info = cluster.scheduler_info["workers"]
    return {
        name: (worker.name, worker.status.name, worker.nthreads, info[worker.worker_address]["memory_limit"])
        for name, worker in cluster.workers.items()
    }


def scheduler_info(cluster):
    info = cluster.scheduler_info
    workers = {
        (worker["name"], worker["nthreads"], worker["memory_limit"], worker["status"])
        for worker in info["workers"].values()
    }
    return info["type"], info["address"] == cluster.scheduler_address, workers, len(info["workers"])


def properties_of_the_scheduler(cluster):
    scheduler = cluster.scheduler
    return scheduler.address == cluster.scheduler_address, len(scheduler.workers), scheduler.status.name


def calls_of_the_scheduler(cluster):
    comm = cluster.scheduler_comm
    identity = cluster.sync(comm.identity)
    metadata = cluster.sync(comm.get_metadata, keys=["no such key"], default=7)
    return comm.address == cluster.scheduler_address, len(identity["workers"]), metadata


async def doubled(number):
    return 2 * number


def loops(cluster):
    ran = []
    cluster.loop.add_callback(ran.append, 1)
    result = cluster.sync(doubled, 4)
    inside = cluster.sync(_called_inside, cluster)
    return isinstance(cluster.loop, IOLoop), result, ran, cluster.called_from_running_loop, inside, cluster.asynchronous


async def _called_inside(cluster):
    return cluster.called_from_running_loop, await cluster.sync(doubled, 5)


def timeouts(cluster):
    with pytest.raises(TimeoutError):
        cluster.sync(asyncio.sleep, 600, callback_timeout="50ms")
    with pytest.raises(TimeoutError):
        cluster.wait_for_workers(200, timeout="200 ms")


def logs(cluster):
    found = cluster.get_logs()
    fewer = cluster.get_logs(cluster=False, scheduler=True, workers=False)
    address = next(iter(cluster.scheduler_info["workers"]))
    one = cluster.get_logs(cluster=False, scheduler=False, workers=[address])
    shown = "_repr_html_" in dir(found), "_repr_html_" in dir(found["Scheduler"])
    kinds = {name if "://" not in name else "worker" for name in found}
    return kinds, len(found), list(fewer), list(one) == [address], shown, type(found).__name__


def scaling(cluster):
    counts = []
    for request in ({"n": 3}, {"n": np.int64(2)}, {"cores": 3}, {"memory": "1 GiB"}, {"n": 1, "cores": np.int32(2)}):
        cluster.scale(**request)
        _settle(cluster)
        counts.append(len(cluster.plan))
    cluster.scale_up(3)
    _settle(cluster)
    counts.append(len(cluster.worker_spec))
    cluster.scale(2)
    _settle(cluster)
    return counts, len(cluster.observed)


def adapting(cluster):
    adaptive = cluster.adapt(minimum=2, maximum=3, interval="50ms", wait_count=2, target_duration="1s")
    bounds = adaptive.minimum, adaptive.maximum, adaptive.interval, adaptive.wait_count, adaptive.target_duration
    with Client(cluster, set_as_default=False) as client:
        futures = client.map(_slow, range(20), pure=False)
        until(lambda: len(cluster.observed) == 3)
        client.gather(futures)
    when, first = adaptive.log[0]
    adaptive.stop()
    adaptive.stop()
    cluster.scale(2)
    _settle(cluster)
    is_time = isinstance(when, float), abs(when - time.time()) < 3600
    return bounds, first, is_time, adaptive.state, adaptive.cluster is cluster


def _slow(_number):
    time.sleep(0.2)


def adapting_with_dask_settings(cluster):
    names = {"interval": "200ms", "wait-count": 5, "target_duration": "2s"}
    with dask.config.set({f"distributed.adaptive.{name}": value for name, value in names.items()}):
        adaptive = cluster.adapt(minimum=2, maximum=2)
    adaptive.stop()
    cluster.scale(2)
    _settle(cluster)
    return adaptive.interval, adaptive.wait_count, adaptive.target_duration


def fusing_with_dask_settings(cluster):
    """A fused task loses the annotations of its parts. The scheduler decides which tasks are fused."""
    found = []
    for connect in (Client, lambda cluster: cluster.get_client()):
        for setting in ({"optimization.fuse.active": False}, {}, {"optimization.annotations.fuse": False}):
            with tempfile.NamedTemporaryFile() as file, connect(cluster) as client, dask.config.set(setting):
                with dask.annotate(retries=2):
                    failing = da.ones(2, chunks=2).map_blocks(_fail, file.name, meta=np.ones(0))
                with pytest.raises(ZeroDivisionError):
                    (failing + 1).compute()
                computed = client.compute(failing, sync=False)
                with pytest.raises(ZeroDivisionError):
                    computed.result()
                found.append(Path(file.name).read_text())
    return found


def _fail(_block, path):
    with open(path, "a", encoding="utf-8") as file:
        file.write("x")
    raise ZeroDivisionError


def adapting_by_cores_and_memory(cluster):
    bounds = []
    for words in (
        {"minimum": 1, "maximum": 2},
        {"minimum": 2, "maximum": 2},
        {"minimum_cores": 2, "maximum_cores": 2},
        {"minimum_memory": "1 GiB", "maximum_memory": "1 GiB"},
    ):
        adaptive = cluster.adapt(**words)
        bounds.append((adaptive.minimum, adaptive.maximum))
        adaptive.stop()
    cluster.scale(2)
    _settle(cluster)
    return bounds


def _settle(cluster):
    until(lambda: len(cluster.observed) == len(cluster.plan) and cluster.observed == set(cluster.workers), timeout=90)


@pytest.mark.parametrize(
    "snippet",
    [
        kind_and_status, client_of_cluster, client_by_method, names_of_workers, specification_of_workers,
        properties_of_workers, scheduler_info, properties_of_the_scheduler, calls_of_the_scheduler, loops, timeouts,
        logs, scaling,
        # First, because LocalCluster keeps the settings of its first call.
        adapting_with_dask_settings, adapting, adapting_by_cores_and_memory, fusing_with_dask_settings,
    ],
    ids=lambda snippet: snippet.__name__,
)  # fmt: skip
@pytest.mark.full
def test_same_results(both, snippet):
    theirs = snippet(both.theirs)
    assert snippet(both.ours) == theirs


def test_settings_without_effect_warn_once(both):
    with both.ours.get_client(set_as_default=False) as client:
        name = "distributed.scheduler.default-task-durations"
        with dask.config.set({name: {"mine": "2s"}}):
            with pytest.warns(gpucluster.SettingWithoutEffect, match=f"^{name}: .* before you create the cluster"):
                assert client.submit(sum, [1, 2]).result() == 3
            assert client.submit(sum, [1, 3]).result() == 4


def test_an_address_is_enough_for_a_client(both):
    """As plain text, for a cluster of gpucluster and for an unencrypted ``LocalCluster``."""
    for cluster in both:
        with Client(str(cluster.scheduler_address), set_as_default=False) as client:
            assert client.submit(sum, [1, 2]).result() == 3


def test_address_connects_to_encrypted_cluster(both, shared_site):
    assert both
    with gpucluster.create("local", name="tls", protocol="tls://", security=True, n_workers=1) as cluster:
        address = cluster.scheduler_address
        assert address.startswith("tls://")
        with Client(address, set_as_default=False) as client:
            assert client.submit(sum, [1, 2]).result() == 3
        with Client(address, security=cluster.security, set_as_default=False) as client:
            assert client.submit(sum, [1, 2]).result() == 3
    with pytest.raises(InvalidState, match=f"None of your clusters is listening at {address}; it may have stopped"):
        Client(address, set_as_default=False)
    assert not cluster.workers
    assert cluster.scheduler_info["workers"] == {}
    with pytest.raises(InvalidState, match="The cluster 'tls' is stopped"):
        _ = cluster.scheduler_comm


def test_handles_on_the_same_cluster_are_equal(both):
    ours = both.ours
    for other in (gpucluster.connect("both"), gpucluster.Cluster.from_name("both"), pickle.loads(pickle.dumps(ours))):  # noqa: S301
        assert other == ours
        assert hash(other) == hash(ours)
        assert isinstance(other, gpucluster.Cluster)
    assert ours != both.theirs
    assert gpucluster.AsyncCluster.from_name(ours.id) == ours
    with pytest.raises(InvalidRequest, match="^n: pass a number of workers"):
        ours.scale()


def test_attributes_of_other_processes_name_an_alternative(both):
    # The names of the workers depend on the tests before.
    worker = next(iter(both.ours.workers.values()))
    assert worker.pid != worker.nthreads == 1
    with pytest.raises(AttributeError, match=r"another process; 'tasks' .*client\.run_on_scheduler"):
        _ = both.ours.scheduler.tasks
    with pytest.raises(AttributeError, match=r"another process; 'data' .*client\.run"):
        _ = worker.data
    with pytest.raises(TypeError):
        both.ours.workers[0] = None
    with pytest.raises(InvalidRequest, match="Adaptive: .*the cluster's own process decides"):
        both.ours.adapt(Adaptive=type("Mine", (deploy.Adaptive,), {}))
    assert both.ours.adapt(Adaptive=deploy.Adaptive, minimum=np.int64(2), maximum=2.0).state == "running"
    both.ours.scale(2)


def test_scale_down_takes_names_and_addresses(both):
    ours = both.ours
    ours.scale(4)
    first, second = sorted(ours.workers.values(), key=lambda worker: worker.name)[:2]
    ours.scale_down([first.name, second.address])
    assert not {first.name, second.name} & ours.observed
    _settle(ours)
    assert len(ours.plan) == 2
    assert isinstance(ours.security, Security)
