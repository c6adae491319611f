"""Where Dask keeps its files: in a directory of the cluster's own, wherever that is."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import gpucluster
import pytest
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
    assert f"other users may write to {mine.parent} and replace what is in it" in ended.reason
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


@pytest.mark.parametrize(("wanted", "limit"), [("auto", 20 * GIB), (None, None), (0.1, 10 * GIB), (3 * GIB, 3 * GIB)])
def test_scratch_limit_bytes(wanted, limit):
    assert limit_bytes(wanted, Disk("/", 100 * GIB, 45 * GIB)) == limit


def test_a_full_disk_leaves_nothing():
    assert limit_bytes("auto", Disk("/", 100 * GIB, GIB)) == 0


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
