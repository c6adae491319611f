"""Where Dask keeps its files: in a directory of the cluster's own, wherever that is."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import gpucluster
from gpucluster.protocol.models import ClusterState


def test_what_a_neighbour_has_planted_is_not_touched(site, tmp_path, monkeypatch, wait_until):
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


def test_another_scratch_directory_is_refused_where_others_could_replace_it(site, tmp_path):
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
