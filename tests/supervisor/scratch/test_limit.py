"""Workers spill no more than a cluster may, and less where the disk fills up; the cluster lives and says so."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import gpucluster
import pytest
from gpucluster.protocol.errors import NotNow
from gpucluster.supervisor.scratch_space import used_bytes

MIB = 2**20
PIECE = 4 * MIB


def kept(client, number):
    """Keep `number` results that cannot be compressed."""

    def noise(_):
        import os

        return os.urandom(PIECE)

    return client.map(noise, range(number), pure=False)


def spilled(site, model):
    return sum(size or 0 for size in site.control.telemetry(model.id).column("tier_disk_bytes"))


@pytest.mark.full
def test_full_scratch_pauses_and_warns(site, wait_until):
    model = site.running(name="greedy", n_workers=2, memory_limit="320 MiB", scratch_limit="96 MiB")
    assert model.scratch_limit_bytes == 96 * MIB
    with gpucluster.connect("greedy").get_client() as client:
        futures = kept(client, 200)  # 800 MiB, where two workers keep about 400 and may spill 96.
        full = site.wait_for("greedy", lambda now: any("Scratch is full" in text for text in now.warnings))
        assert "of the 96 MiB that it may take): results stay in memory" in full.warnings[-1]
        assert full.state == "running"
        assert used_bytes(site.registry.folder(model.id).scratch) <= 97 * MIB
        # The first worker that is full says so; the other one comes to it later.
        wait_until(lambda: spilled(site, model) > 60 * MIB, what=lambda: spilled(site, model))
        assert spilled(site, model) <= 96 * MIB
        kinds = lambda: {entry.kind for entry in site.control.activity("greedy").entries}  # noqa: E731
        wait_until(lambda: {"spill", "pause"} <= kinds(), what=kinds)
        del futures
        site.wait_for("greedy", lambda now: not now.warnings)
        assert client.submit(sum, [1, 2, 3]).result(60) == 6
        # One more worker: each has a smaller part.
        site.control.patch("greedy", {"n_workers": 3})
        site.control.wait("greedy")
        limits = lambda: set(client.run(lambda dask_worker: dask_worker.data.disk.data.max_weight).values())  # noqa: E731
        wait_until(lambda: limits() == {32 * MIB}, what=limits)


@pytest.mark.full
def test_large_results_fill_scratch_early(site):
    """Two of three results of 20 MB fit into 50 MiB: 76 % of it."""
    site.running(name="large", n_workers=1, memory_limit="400 MiB", scratch_limit="50 MiB")
    with gpucluster.connect("large").get_client() as client:
        futures = client.map(lambda _: __import__("os").urandom(20_000_000), range(40), pure=False)
        full = site.wait_for("large", lambda now: any("Scratch is full" in text for text in now.warnings))
        reported = "% of its 50 MiB; the next result does not fit): results stay in memory, and 1 of 1 worker waits."
        assert reported in full.warnings[-1]
        assert any(entry.kind == "spill" and entry.message.endswith(reported) for entry in full.news)
        del futures
        site.wait_for("large", lambda now: not now.warnings)
        assert client.submit(sum, [1, 2, 3]).result(60) == 6


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.full
def test_large_results_survive_full_scratch(site, threads, wait_until):
    """To pickle, read or send one takes as much again: a worker that had filled its memory before would be ended."""
    limit = f"{300 * threads} MiB"
    model = site.running(
        name="full", n_workers=1, threads_per_worker=threads, memory_limit=limit, scratch_limit="150 MiB"
    )
    with gpucluster.connect("full").get_client() as client:
        waiting = client.map(lambda _: __import__("os").urandom(40_000_000), range(16), pure=False)
        site.wait_for("full", lambda now: any("Scratch is full" in text for text in now.warnings))
        while waiting:
            for one in [one for one in waiting if one.done()]:
                assert [len(one.result(60)) for _ in range(2)] == [40_000_000] * 2
                waiting.remove(one)  # The others go on.
        now = site.control.get(model.id)
        assert [worker.pid for worker in now.workers] == [worker.pid for worker in model.workers]
        assert "worker_died" not in {entry.kind for entry in site.control.activity("full").entries}


@pytest.fixture
def small_disk():
    if os.getuid() != 0:
        pytest.skip("only root may mount")
    path = Path(tempfile.mkdtemp(prefix="gpc", dir="/tmp"))
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64m,mode=0700", "gpucluster-test", path], check=True, capture_output=True
    )
    yield path
    subprocess.run(["umount", "--lazy", path], check=True)
    path.rmdir()


@pytest.mark.full
def test_full_disk_stops_spilling(site, small_disk, wait_until):
    """A disk of 64 MiB, on which a quarter stays free; another user fills the rest."""
    model = site.running(name="modest", n_workers=1, memory_limit="320 MiB", local_directory=str(small_disk))
    assert 20 * MIB < model.scratch_limit_bytes <= 24 * MIB
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(52 * MIB))
    low = site.wait_for("modest", lambda now: now.warnings)
    assert low.warnings[0].startswith(f"The disk {small_disk} has 12 MiB left: spilling is paused until it has")
    assert low.news[-1].kind == "spill"
    with gpucluster.connect("modest").get_client() as client:
        futures = kept(client, 60)
        site.wait_for("modest", lambda now: "pause" in {entry.kind for entry in now.news})
        assert spilled(site, model) <= PIECE
        ballast.unlink()
        site.wait_for("modest", lambda now: not any("The disk" in text for text in now.warnings))
        wait_until(lambda: spilled(site, model) > 2 * PIECE)
        del futures
        assert client.submit(sum, [1, 2, 3]).result(60) == 6
    assert site.control.stop("modest").state == "stopped"
    assert list(small_disk.iterdir()) == []


@pytest.mark.full
def test_site_limits_scratch_per_user(site, tmp_path, monkeypatch):
    file = tmp_path / "site.yaml"
    file.write_text("sharing:\n  per_user: {scratch: 100 MiB, clusters: 4}\n")
    monkeypatch.setenv("GPUCLUSTER_SITE", str(file))
    first = site.running(name="first", n_workers=0, scratch_limit="70 MiB")
    assert first.scratch_limit_bytes == 70 * MIB
    second = site.running(name="second", n_workers=0)
    assert second.scratch_limit_bytes == 15 * MIB, "half of what is left"
    with pytest.raises(NotNow) as refused:
        site.create(name="third", n_workers=0, scratch_limit="31 MiB")
    assert refused.value.message == (
        "scratch_limit: Each user may have 100 MiB of scratch on this machine at this site; your other clusters have "
        "85 MiB, and this one would have 31 MiB. Ask for at most 15 MiB."
    )
    assert [model.name for model in site.control.list()] == ["second", "first"]
    site.running(name="third", n_workers=0, scratch_limit="15 MiB")
    with pytest.raises(
        NotNow, match=r"this one would have no limit\. Stop one and create this one again, or give each a"
    ):
        site.create(name="fourth", n_workers=0, scratch_limit=None)
    # Nothing is left: it runs, and says what that means before anybody waits for it.
    fourth = site.running(name="fourth", n_workers=0)
    assert fourth.scratch_limit_bytes == 0
    reported = site.wait_for("fourth", lambda now: now.warnings)
    assert reported.warnings[0].endswith(
        "pause, as your other clusters have the 100 MiB that each user may have. Stop one and create this one "
        "again, or give "
        "each a scratch_limit (--scratch-limit) that leaves some."
    )
    assert [entry.message for entry in reported.news] == [
        "Nothing may be spilled to disk: your other clusters have the 100 MiB that each user may have."
    ]
    # Who may have no other cluster gets all that is left.
    for name in ("third", "fourth"):
        site.control.stop(name)
    file.write_text("sharing:\n  per_user: {scratch: 100 MiB, clusters: 3}\n")
    assert site.running(name="last", n_workers=0).scratch_limit_bytes == 15 * MIB
