"""Keywords of ``LocalCluster``, passed to it and to ``gpucluster.create``."""

import logging
import os
import warnings

import gpucluster
import pytest
from distributed import Client, LocalCluster, get_worker
from gpucluster.client.dask_keywords import KeywordWithoutEffect
from gpucluster.protocol.errors import InvalidRequest

QUIET = {"silence_logs": logging.ERROR, "dashboard_address": ":0", "scheduler_port": 0, "host": "127.0.0.1"}


def snippet(make, scratch, module):
    with (
        make(
            n_workers=0, threads_per_worker=2, memory_limit=0, processes=True, resources={"GPU": 2},
            env={"COLOUR": "green", "OMP_NUM_THREADS": 2}, preload=str(module), lifetime="1 hour",
            lifetime_stagger="1 minute", death_timeout="60s", local_directory=str(scratch), **QUIET,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):  # fmt: skip
        before = len(cluster.observed)
        cluster.scale(1)
        client.wait_for_workers(1, timeout="90s")
        [worker] = client.run(properties_of_worker).values()
        needs = client.submit(lambda: get_worker().name, resources={"GPU": 2}, pure=False).result()
        [info] = client.scheduler_info()["workers"].values()
        inside = os.path.commonpath([worker.pop("directory"), os.path.realpath(scratch)]) == os.path.realpath(scratch)
        return before, worker, needs, info["resources"], info["memory_limit"], inside


def properties_of_worker(dask_worker):
    return {
        "colour": os.environ["COLOUR"], "threads": os.environ["OMP_NUM_THREADS"],
        "n_threads": dask_worker.state.nthreads, "preloaded": dask_worker.preloaded_here,
        "lifetime": 3540 <= dask_worker.lifetime <= 3660, "limit": dask_worker.memory_manager.memory_limit,
        "directory": dask_worker.local_directory,
    }  # fmt: skip


def test_same_effects(site, tmp_path):
    assert site
    module = tmp_path / "setup_worker.py"
    module.write_text("def dask_setup(worker):\n    worker.preloaded_here = worker.name\n")

    def ours(**options):
        return gpucluster.create("local", name="keywords", **options)

    theirs = snippet(LocalCluster, tmp_path / "new" / "theirs", module)
    with warnings.catch_warnings():
        warnings.simplefilter("error", KeywordWithoutEffect)
        assert snippet(ours, tmp_path / "new" / "ours", module) == theirs
    record = (site.registry.folder(site.get("keywords").id).path / "state.json").read_text()
    assert "COLOUR" in record
    assert "green" not in record, "it may be a password"


@pytest.mark.full
def test_keywords_without_effect_warn_at_the_call(site, wait_until):
    """Workers are replaced after their lifetime."""
    with pytest.raises(InvalidRequest, match="^host: a cluster can be reached from this machine only"):
        gpucluster.create("local", host="0.0.0.0")  # noqa: S104
    assert not site.control.list()
    with pytest.warns(KeywordWithoutEffect) as caught:
        cluster = gpucluster.create("local", n_workers=1, processes=False, scheduler_port=8786, lifetime="2s")
    with cluster:
        first = cluster.workers[0].pid
        assert {warning.filename for warning in caught} == {__file__}
        assert [str(warning.message).partition(":")[0] for warning in caught] == [
            "processes=False has no effect", "scheduler_port=8786 has no effect",
        ]  # fmt: skip
        wait_until(lambda: [worker.pid for worker in cluster.workers.values()] not in ([], [first]))
        assert cluster.plan == {0}
        assert not [entry for entry in cluster.activity() if "unexpectedly" in entry.message]
