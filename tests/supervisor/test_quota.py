"""The quota of one user for all clusters together, enforced by the cluster's own process for every interface."""

import os
from contextlib import nullcontext
from datetime import datetime, timedelta
from pathlib import Path

import distributed
import gpucluster
import pytest
from gpucluster.backends.auto import AutoSpec
from gpucluster.backends.backend import Plan, StartContext
from gpucluster.backends.cuda.spec import CudaSpec
from gpucluster.backends.local import LocalSpec
from gpucluster.client.starting import creation
from gpucluster.operating_system import LINUX
from gpucluster.protocol.errors import InvalidRequest, NotNow, PreflightFailed
from gpucluster.protocol.models import ClusterModel, ClusterState, Idle, Network, Wanted
from gpucluster.protocol.spec import SpecBase
from gpucluster.registry.record import now
from gpucluster.registry.store import Registry
from gpucluster.supervisor.quota import Quota

AUTOGROUP = Path("/proc/self/autogroup")


def starting(name: str, spec: SpecBase, wanted: Wanted | None = None) -> ClusterModel:
    return ClusterModel(
        id=name, name=name, backend=spec.backend, state=ClusterState.STARTING, wanted=wanted or Wanted(), idle=Idle(),
        python="python", created_at=now(), spec=spec,
    )  # fmt: skip


@pytest.fixture
def configure(tmp_path, monkeypatch):
    """Return a function that sets the section ``sharing`` of this site."""
    file = tmp_path / "site.yaml"
    file.touch(0o644)
    monkeypatch.setenv("GPUCLUSTER_SITE", str(file))
    return lambda text: file.write_text(f"sharing:\n{text}")


@pytest.mark.full
def test_quota_counts_all_clusters(site, configure, wait_until):
    configure("  per_user: {workers: 3, threads: 4, memory: 3 GiB, clusters: 2}\n")
    small = {"backend": "local", "memory_limit": "1 GiB", "threads_per_worker": 1}
    first = site.running(name="first", n_workers=2, **{name: small[name] for name in small if name != "backend"})
    with pytest.raises(NotNow, match="Each user may have 3 workers on this machine at this site; your other cluster"):
        site.control.create({**small, "n_workers": 2})
    with pytest.raises(InvalidRequest, match="n_workers: Each user may have 3 workers on this machine"):
        site.control.patch(first.id, {"n_workers": 4})
    assert os.getpriority(os.PRIO_PROCESS, first.pid) == 0
    assert {os.getpriority(os.PRIO_PROCESS, worker.pid) for worker in first.workers} == {5}, "notebooks have priority"
    if AUTOGROUP.exists():
        wait_until(lambda: Path(f"/proc/{first.pid}/autogroup").read_text().endswith(" nice 5\n"))
    site.control.patch(first.id, {"n_workers": 3})
    third = site.control.create({**small, "n_workers": 0})
    with pytest.raises(NotNow, match="You have 2 running clusters, and each user may have 2 at a time"):
        site.control.create(small)
    site.control.stop(third.id)
    site.control.stop(first.id)
    with pytest.raises(NotNow, match="may have 4 threads on this machine at this site, and this one would have 5"):
        site.control.create({**small, "n_workers": 1, "threads_per_worker": 5})
    # A refused request leaves nothing behind.
    assert {model.id for model in site.control.list()} == {first.id, third.id}


@pytest.mark.skipif(not AUTOGROUP.exists(), reason="needs a Linux that shares processors between sessions")
@pytest.mark.linux("workers that are forked from one process")
def test_adopted_standby_lowers_priority(site, configure, wait_until):
    configure("  per_user: {workers: 3}\n")
    pid = site.standby()
    model = site.running(n_workers=1)
    assert model.pid == pid
    wait_until(lambda: Path(f"/proc/{pid}/autogroup").read_text().endswith(" nice 5\n"))
    assert os.getpriority(os.PRIO_PROCESS, model.workers[0].pid) == 5


@pytest.mark.full
def test_open_fields_get_remaining_quota(site, configure):
    configure("  per_user: {workers: 4, memory: 1 GiB}\n")
    first = site.running(name="first", n_workers=1, memory_limit="300 MiB")
    # As many workers as have 256 MiB each, of those that this machine would have.
    second = site.running(name="second", n_workers=None, memory_limit="auto")
    each = 724 * 2**20 // second.n_workers
    assert second.n_workers in {1, 2}
    assert second.memory_limit_bytes == second.workers[0].memory_limit_bytes == each
    with pytest.raises(NotNow) as refused:
        site.create(memory_limit="auto")
    assert refused.value.message == (
        "Each user may have 1 GiB of memory on this machine at this site; your other clusters 'second', 'first' have "
        "1 GiB of memory, and this one would have 256 MiB of memory. Stop a cluster, or create it again with less "
        "(memory_limit, --memory-limit)."
    )
    assert len(site.control.list()) == 2
    # An open number may not grow, and memory that no worker has yet is not given away.
    with pytest.raises(InvalidRequest, match="n_workers: Each user may have 1 GiB of memory"):
        site.control.patch(first.id, {"n_workers": 2})
    site.control.stop(first.id)
    assert site.running(n_workers=0, memory_limit="auto").memory_limit_bytes >= 256 * 2**20


def limit_of_worker(dask_worker):
    """Return a worker's limit where it spills by it, too; otherwise 0."""
    manager = dask_worker.memory_manager
    spills_by_it = dask_worker.data.n == int(manager.memory_limit * manager.memory_target_fraction)
    return manager.memory_limit if spills_by_it else 0


@pytest.mark.full
def test_workers_that_come_later_share_the_memory(site, configure, wait_until):
    """The first one holds more than its new part: it spills, and is not ended for earlier allocations."""
    whole = 1200 * 2**20
    configure(f"  per_user: {{memory: {whole}}}\n")
    model = site.running(name="shared", n_workers=1, memory_limit="auto")
    with gpucluster.connect("shared").get_client() as client:
        limits = lambda: sorted(client.run(limit_of_worker).values())  # noqa: E731
        known = lambda: sorted(worker.memory_limit_bytes for worker in site.control.get(model.id).workers)  # noqa: E731
        assert (known(), limits()) == ([whole], [whole])
        futures = client.map(lambda _: __import__("os").urandom(40_000_000), range(10), pure=False)
        distributed.wait(futures)
        pid = model.workers[0].pid
        site.control.patch(model.id, {"n_workers": 3})
        assert not any("memory" in note for note in site.control.wait(model.id).notes)
        each = whole // 3
        wait_until(lambda: (known(), limits()) == ([each] * 3, [each] * 3), what=limits)
        assert site.control.get(model.id).memory_limit_bytes == each
        assert pid in {worker.pid for worker in site.control.get(model.id).workers}
        assert client.gather(client.map(len, futures[:2])) == [40_000_000] * 2
        # After scaling down, workers keep the low limit, as do restarted ones: the memory may be needed again at once.
        del futures
        site.control.patch(model.id, {"n_workers": 1})
        site.control.wait(model.id)
        client.restart()
        wait_until(lambda: (known(), limits()) == ([each], [each]), what=known)
        with pytest.raises(InvalidRequest, match="n_workers: Each user may have 1.2 GiB of memory"):
            site.control.patch(model.id, {"n_workers": 5})


def test_simultaneous_request_counts(site, configure, monkeypatch):
    """Of two simultaneous requests that leave everything open, the second one finds nothing left."""
    configure("  per_user: {memory: 600 MiB, workers: 4}\n")
    first = starting("first", AutoSpec())
    registry = Registry()
    monkeypatch.setattr(registry, "list", lambda: [first])
    with pytest.raises(NotNow, match="your other cluster 'first' has .*, and this one would have 256 MiB of memory"):
        creation.require_open(registry, AutoSpec())
    small = first.model_copy(update={"spec": AutoSpec(n_workers=1, memory_limit=2**28)})
    monkeypatch.setattr(registry, "list", lambda: [small])
    creation.require_open(registry, AutoSpec(n_workers=1))


async def test_slower_cluster_plans_with_remaining_quota(configure):
    configure("  per_user: {memory: 6 GiB}\n")
    clusters: list[ClusterModel] = []

    class Others:
        list = staticmethod(lambda: clusters)
        exclusive = staticmethod(nullcontext)

    class Store:
        def __init__(self, name: str) -> None:
            self.model = starting(name, LocalSpec(n_workers=1), Wanted(n_workers=1))

        def update(self, **fields):
            self.model = self.model.model_copy(update=fields)

    class Planner:
        """Another cluster gets its memory while it plans."""

        def __init__(self, meanwhile):
            self.meanwhile = meanwhile

        async def preflight(self, spec, context):
            each = share.memory_limit(spec, 4 * 2**30, 1)
            clusters[:] = self.meanwhile
            return Plan(1, 1, "", Network.of("unix"), memory_limit_bytes=each)

    other, mine = Store("other"), Store("mine")
    other.update(memory_limit_bytes=4 * 2**30)
    share, context = Quota(Others(), "mine"), StartContext("mine", None, Path("/"), "prefix")
    plan = await share.planned(mine, Planner([other.model]), mine.model.spec, context)
    assert plan.memory_limit_bytes == mine.model.memory_limit_bytes == 2 * 2**30
    clusters.clear()
    with pytest.raises(PreflightFailed, match="your other cluster 'other' has 4 GiB"):
        await share.planned(mine, Planner([other.model]), LocalSpec(n_workers=1, memory_limit=4 * 2**30), context)


def test_cluster_stops_at_site_walltime(site, configure):
    configure("  per_user: {walltime: 00:00:03}\n")
    model = site.running(n_workers=0)
    assert model.ends_at is not None
    ended = site.wait_for(model.id, lambda model: model.state.ended)
    assert (ended.state, ended.reason) == (
        ClusterState.STOPPED,
        "The cluster reached this site's time limit for clusters on this machine.",
    )


def test_refusal_outside_hours_names_opening(site, configure):
    now = datetime.now()  # noqa: DTZ005  # as the site's hours
    begin, end = now + timedelta(hours=2), now + timedelta(hours=3)
    configure(f"  hours: ['{begin:%H:%M}-{end:%H:%M}']\n")
    with pytest.raises(NotNow, match=rf"This site opens again (tomorrow )?at {begin:%H:%M} \(its hours are "):
        site.control.create({"backend": "local"})
    assert site.control.list() == []


@pytest.mark.skipif(not LINUX, reason="claims between users need Linux")
def test_gpu_quota_is_checked_first(site, configure, monkeypatch):
    """Before the GPUs on this machine are read; nothing of the request stays."""
    configure("  per_user: {gpus: 1}\n")
    two = "Each user may have 1 GPU or slot at a time at this site; this one requests 2. Request fewer workers."
    for wanted in ({"n_workers": 2}, {"devices": [0, 1]}):
        with pytest.raises(NotNow) as refused:
            site.control.create({"backend": "cuda", "protocol": "tls", **wanted})
        assert refused.value.message == two
    monkeypatch.setattr(creation, "usable_gpus", lambda: 2)
    monkeypatch.setattr(creation, "find_spec", lambda name: name)
    with pytest.raises(NotNow, match="this one requests 2"):
        site.control.create({"n_workers": 2, "memory_limit": "256 MiB"})
    assert site.control.list() == []
    registry = Registry()
    # 'auto' takes CPUs if there are not enough GPUs, and a cluster that was just requested counts.
    creation.require_open(registry, AutoSpec(n_workers=3, memory_limit=2**28))
    creation.require_open(registry, CudaSpec())
    monkeypatch.setattr(registry, "list", lambda: [starting("a", CudaSpec())])
    with pytest.raises(NotNow, match="your clusters have 1 and this one requests 1. Stop a cluster"):
        creation.require_open(registry, CudaSpec())


def test_clusters_are_limited_without_site(site, monkeypatch):
    model = site.running(n_workers=0)
    registry = Registry()
    monkeypatch.setattr(registry, "list", lambda: [model] * 64)
    with pytest.raises(NotNow, match="64 running clusters"):
        creation.require_open(registry, LocalSpec())
