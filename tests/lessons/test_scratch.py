"""Clusters made with Dask alone keep their files where other users cannot plant any."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import dask
import pytest
from distributed import LocalCluster
from gpucluster.lessons.clusters import use_private_scratch
from gpucluster.lessons.course.lesson_00_check_in.checks import Starter
from gpucluster.lessons.course.lesson_03_the_kitchen.simulations import small_kitchen


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A link to a file of the victim, in the default place of Dask's lock."""
    victim = tmp_path / "thesis"
    victim.write_text("years of work")
    shared = tmp_path / "shared" / "dask-scratch-space"
    shared.mkdir(parents=True)
    (shared / "global.lock").symlink_to(victim)
    monkeypatch.setattr(tempfile, "tempdir", str(shared.parent))
    monkeypatch.setenv("GPUCLUSTER_DIR", str(tmp_path / "clusters"))
    with dask.config.set({"temporary-directory": None}):
        yield victim


def start_their_own() -> None:
    use_private_scratch()
    folder = dask.config.get("temporary-directory")
    assert os.stat(folder).st_mode & 0o777 == 0o700
    with LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0"):
        assert os.listdir(folder) == ["dask-scratch-space"]


def start_a_kitchen() -> None:
    with small_kitchen(1):
        pass


def borrow() -> None:
    starter = Starter(processes=False)
    starter()
    starter.close()


@pytest.mark.parametrize("start", [start_their_own, start_a_kitchen, borrow])
def test_what_a_neighbour_has_planted_is_not_touched(planted: Path, start) -> None:  # type: ignore[no-untyped-def]
    start()
    assert planted.read_text() == "years of work"


def test_a_directory_that_was_chosen_stays(tmp_path: Path) -> None:
    with dask.config.set({"temporary-directory": str(tmp_path)}):
        use_private_scratch()
        assert dask.config.get("temporary-directory") == str(tmp_path)
