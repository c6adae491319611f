"""Dask keeps its files in the cluster's directory; workers spill no more than a cluster may, less on a full disk."""

import os
import stat
import tempfile
from pathlib import Path

import gpucluster
import pytest
from gpucluster.protocol.errors import NotNow
from gpucluster.protocol.models import ClusterState
from gpucluster.supervisor.scratch_space import Disk, disk_of, limit_bytes, used_bytes


def test_planted_scratch_files_are_not_touched(site, tmp_path, monkeypatch, wait_until):
    """The directory for temporary files is one that all may write to; the neighbour was there first.

    And its path is longer than that of a socket may be.
    """
    shared = tmp_path / ("shared" * 20)
    planted = shared / "dask-scratch-space"
    planted.mkdir(parents=True)
    for directory in (shared, planted):
        directory.chmod(0o777)
    victim = tmp_path / "thesis"
    victim.write_text("years of work")
    (planted / "global.lock").symlink_to(victim)
    os.mkfifo(planted / "purge.lock")
    (planted / "old.dirlock").symlink_to(victim)
    before = sorted(planted.iterdir())
    monkeypatch.setenv("TMPDIR", str(shared))
    model = site.running(name="careful", n_workers=1)
    with gpucluster.connect("careful").get_client() as client:
        places = client.run(lambda dask_worker: dask_worker.local_directory)
        places["scheduler"] = client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.local_directory)
    folder = site.registry.folder(model.id)
    for place in places.values():
        assert Path(place).is_relative_to(folder.path)
    assert site.control.stop("careful").reason is None
    assert victim.read_text() == "years of work"
    assert sorted(planted.iterdir()) == before
    wait_until(lambda: list(shared.iterdir()) == [planted], what="nothing is left")


def test_chosen_scratch_directory_must_be_safe(site, tmp_path):
    mine = tmp_path / "open" / "mine"
    mine.mkdir(parents=True)
    mine.parent.chmod(0o777)
    model = site.create(name="elsewhere", local_directory=str(mine))
    ended = site.wait_for("elsewhere", lambda now: now.state.ended)
    assert ended.state is ClusterState.FAILED
    assert f"other users can write to {mine.parent} and replace its contents" in ended.reason
    assert list(mine.iterdir()) == []
    mine.parent.chmod(0o777 | stat.S_ISVTX)
    (tmp_path / "link").symlink_to(mine)
    model = site.running(name="there", local_directory=str(tmp_path / "link"))
    with gpucluster.connect("there").get_client() as client:
        places = [*client.run(lambda dask_worker: dask_worker.local_directory).values()]
        places.append(client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.local_directory))
    for place in places:
        assert Path(place).is_relative_to(mine / f"gpucluster-{model.id}")
    assert site.control.stop("there").state is ClusterState.STOPPED
    assert list(mine.iterdir()) == []


GIB = 2**30


@pytest.mark.parametrize(
    ("total", "room"),
    [(64 * 2**20, 16 * 2**20), (4 * GIB, GIB // 4), (100 * GIB, 5 * GIB), (1000 * GIB, 10 * GIB)],
    ids=["tiny", "small", "usual", "large"],
)
def test_room_is_left_to_others(total, room):
    assert Disk("/", total, 0).room_bytes == room


@pytest.mark.parametrize(
    ("wanted", "free", "limit"),
    [("auto", 45, 20), ("auto", 1, 0), (None, 45, None), (0.1, 45, 10), (3 * GIB, 45, 3)],
)
def test_scratch_limit_bytes(wanted, free, limit):
    assert limit_bytes(wanted, Disk("/", 100 * GIB, free * GIB)) == (limit and limit * GIB)


def test_the_disk_of_a_folder(tmp_path):
    disk = disk_of(tmp_path)
    assert os.path.ismount(disk.path)
    assert 0 < disk.free_bytes <= disk.total_bytes


def test_used_bytes_of_directory(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_bytes(bytes(3_000_000))
    (tmp_path / "other").write_bytes(bytes(1_000_000))
    (tmp_path / "a" / "link").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert 4_000_000 <= used_bytes(tmp_path) < 4_200_000
    assert used_bytes(tmp_path / "nothing") == 0


def test_a_huge_tree_is_not_walked_through(tmp_path):
    for number in range(50):
        (tmp_path / f"{number}").write_bytes(bytes(4096))
    assert 0 < used_bytes(tmp_path, most_entries=11) <= 10 * 4096


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
        # The first worker that is full says something else, until the other one has nearly filled its part, too.
        reported = "of the 96 MiB that it may take): results stay in memory"
        full = site.wait_for("greedy", lambda now: any(reported in text for text in now.warnings))
        assert full.warnings[-1].startswith("Scratch is full")
        assert full.state == "running"
        assert used_bytes(site.registry.folder(model.id).scratch) <= 97 * MIB
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
    import subprocess

    if os.getuid() != 0:
        pytest.skip("only root may mount")
    path = Path(tempfile.mkdtemp(prefix="gpc", dir="/tmp"))
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64m,mode=0700", "gpucluster-test", path], check=True, capture_output=True
    )
    yield path
    subprocess.run(["umount", "--lazy", path], check=True)
    path.rmdir()


@pytest.mark.processes
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
        "85 MiB, and this one would have 31 MiB. Request at most 15 MiB."
    )
    assert [model.name for model in site.control.list()] == ["second", "first"]
    site.running(name="third", n_workers=0, scratch_limit="15 MiB")
    with pytest.raises(
        NotNow, match=r"this one would have no limit\. Stop one and create this one again, or set a lower"
    ):
        site.create(name="fourth", n_workers=0, scratch_limit=None)
    # Nothing is left: it runs, and says what that means before anybody waits for it.
    fourth = site.running(name="fourth", n_workers=0)
    assert fourth.scratch_limit_bytes == 0
    reported = site.wait_for("fourth", lambda now: now.warnings)
    assert reported.warnings[0].endswith(
        "pause, as your other clusters have the 100 MiB that each user may have. Stop one and create this one "
        "again, or set a lower scratch_limit (--scratch-limit) for each."
    )
    assert [entry.message for entry in reported.news] == [
        "Nothing may be spilled to disk: your other clusters have the 100 MiB that each user may have."
    ]
    # Who may have no other cluster gets all that is left.
    for name in ("third", "fourth"):
        site.control.stop(name)
    file.write_text("sharing:\n  per_user: {scratch: 100 MiB, clusters: 3}\n")
    assert site.running(name="last", n_workers=0).scratch_limit_bytes == 15 * MIB
