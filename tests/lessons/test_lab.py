"""The first and the last cell: which cluster a lesson uses, and what is left afterwards."""

from __future__ import annotations

from typing import Any

import dask
import gpucluster
import numpy as np
import pytest
from gpucluster import lessons
from gpucluster.client.libraries import libraries_for, use_libraries
from gpucluster.lessons import lab as lab_module
from gpucluster.lessons.lab import CLUSTER_VARIABLE, current_client
from gpucluster.protocol.errors import ClusterNotFound, InvalidRequest

pytestmark = pytest.mark.usefixtures("registry")


def living() -> list[str]:
    return [model.name for model in gpucluster.list() if not model.state.ended]


def test_a_lesson_makes_a_cluster_finds_it_again_and_stops_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # First in this module: nothing lives yet.
    first = lessons.start("06")
    assert living() == ["lesson-06"]
    assert first.owns_cluster
    assert first.cluster.n_workers == 2
    assert current_client() is first.client
    said = capsys.readouterr().out
    assert "lesson-06 (made by this lesson; the last cell stops it)" in said
    assert "2 CPU workers, 1 thread each" in said
    assert "arrays: numpy" in said

    again = lessons.start("06")  # the cell is run a second time
    assert living() == ["lesson-06"]
    assert first.client.status == "closed"
    assert again.owns_cluster

    monkeypatch.setattr(lab_module, "_current", None)  # the kernel is restarted
    lab = lessons.start("06")
    assert living() == ["lesson-06"]
    assert lab.owns_cluster
    assert lab.client.submit(sum, [1, 2]).result() == 3
    again.client.close()
    capsys.readouterr()
    lab.close()
    lab.close()
    assert living() == []
    assert capsys.readouterr().out == "Stopped lesson-06.\n"
    assert current_client() is None


def test_a_running_cluster_is_used_and_kept(cluster: Any, capsys: pytest.CaptureFixture[str]) -> None:
    lab = lessons.start("06")
    assert lab.cluster.id == cluster.id
    assert "was running already" in capsys.readouterr().out
    lab.close()
    assert living() == ["classroom"]
    assert cluster.state == "running"
    assert "classroom keeps running" in capsys.readouterr().out


def test_several_clusters(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    second = gpucluster.create("local", name="another", n_workers=1)
    with pytest.raises(InvalidRequest, match="Several clusters are running: .*another.*Say which one"):
        lessons.start("06")

    lab = lessons.start("06", cluster="another")
    assert lab.cluster.id == second.id
    lab.close()
    monkeypatch.setenv(CLUSTER_VARIABLE, "another")
    lab = lessons.start("06")
    assert lab.cluster.id == second.id
    assert not lab.owns_cluster
    lab.close()
    assert sorted(living()) == ["another", "classroom"]
    second.stop()

    monkeypatch.setenv(CLUSTER_VARIABLE, "nobody")
    with pytest.raises(ClusterNotFound, match="nobody"):
        lessons.start("06")


def test_collections_are_of_the_kind_of_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    with dask.config.set({}):
        use_libraries(libraries_for("local"))
        assert dask.config.get("array.backend") == "numpy"
        # GPU workers, but a kernel without CuPy: NumPy blocks run there too, and the learner is told.
        here = libraries_for("cuda")
        assert (here.arrays, here.frames) == ("numpy", "pandas")
        assert here.warning is not None and "This kernel has no cupy" in here.warning
        monkeypatch.setattr("gpucluster.client.libraries._gpu_problem", lambda: None)
        use_libraries(libraries_for("cuda"))
        assert dask.config.get("array.backend") == "cupy"
        assert dask.config.get("dataframe.backend") == "cudf"
        use_libraries(libraries_for("local"))


def test_traffic_counts_what_leaves_the_workers(client: Any) -> None:
    def make(seed: int) -> Any:
        return np.random.default_rng(seed).random(125_000)

    big = client.map(make, [1, 2], pure=False, workers=None)
    client.gather(client.map(len, big, pure=False))
    with lessons.Traffic(client) as small:
        client.gather(client.map(np.sum, big, pure=False))
    assert 0 < small.bytes < 1000
    with lessons.Traffic(client) as everything:
        client.gather(big)
    assert 2_000_000 <= everything.bytes < 2_010_000
    with lessons.Traffic(client) as nothing:
        pass
    assert nothing.bytes == 0


def test_what_workers_send_to_each_other_does_not_count(client: Any) -> None:
    first, second = list(client.scheduler_info()["workers"])
    array = client.submit(np.ones, 100_000, workers=[first], pure=False)
    with lessons.Traffic(client) as traffic:
        assert client.submit(np.sum, array, workers=[second], pure=False).result() == 100_000
    assert 0 < traffic.bytes < 1000
