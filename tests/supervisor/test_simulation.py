"""The simulated cluster of ``tests/fakes/cluster`` behaves like a real one, so that tests with it are valid."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "fakes"))

from cluster.process import simulated_cluster

pytestmark = pytest.mark.full


def test_simulated_cluster_behaves_like_real_one(site, wait_until) -> None:
    options = ["--workers", "12", "--gpus", "--rmm", "mixed", "--lost", "1", "--past", "--name", "many"]
    with simulated_cluster(*options) as id:
        model = site.get("many")
        assert (model.id, model.n_workers, model.backend) == (id, 12, "cuda")
        assert len({worker.device for worker in model.workers}) == 12
        sample = wait_until(lambda: (found := site.control.telemetry(id)).progress and found)
        assert sample.column("device_error").count(None) == 11
        assert sample.column("vram_used_bytes").count(None) == 1
        # No RMM; a pool without a count; both.
        pools, uses = sample.column("rmm_pool_bytes"), sample.column("rmm_used_bytes")
        states = {(pool is None, used is None) for pool, used in zip(pools, uses, strict=True)}
        assert states == {(True, True), (False, True), (False, False)}
        history = site.control.history(id)
        assert history.seconds[0] < -500
        assert set(history.workers) == {worker.name for worker in model.workers}

        site.control.patch(id, {"n_workers": 5})
        wait_until(lambda: site.get("many").n_workers == 5)
        site.control.restart(id, wait=False)
        wait_until(lambda: site.get("many").state == "running" and site.get("many").n_workers == 5)
        site.control.stop(id)
        assert site.get("many").state == "stopped"
