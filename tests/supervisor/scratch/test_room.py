"""How much of a disk one cluster may take, and what the files below a directory take."""

from __future__ import annotations

import os

import pytest
from gpucluster.supervisor.scratch.room import Disk, disk_of, limit_bytes
from gpucluster.supervisor.scratch.watch import used_bytes

GIB = 2**30


@pytest.mark.parametrize(
    ("total", "room"),
    [(64 * 2**20, 16 * 2**20), (4 * GIB, GIB // 4), (100 * GIB, 5 * GIB), (1000 * GIB, 10 * GIB)],
    ids=["tiny", "small", "usual", "large"],
)
def test_room_is_left_to_others(total, room):
    assert Disk("/", total, 0).room_bytes == room


@pytest.mark.parametrize(
    ("wanted", "limit"),
    [("auto", 20 * GIB), (None, None), (0.1, 10 * GIB), (3 * GIB, 3 * GIB)],
)
def test_what_a_cluster_may_take(wanted, limit):
    assert limit_bytes(wanted, Disk("/", 100 * GIB, 45 * GIB)) == limit


def test_a_full_disk_leaves_nothing():
    assert limit_bytes("auto", Disk("/", 100 * GIB, GIB)) == 0


def test_the_disk_of_a_folder(tmp_path):
    disk = disk_of(tmp_path)
    assert os.path.ismount(disk.path)
    assert 0 < disk.free_bytes <= disk.total_bytes


def test_what_is_below_a_directory(tmp_path):
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
