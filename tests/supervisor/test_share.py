"""What a site gives one user in all clusters together: bound by the cluster's own process, for every face."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from gpucluster.client import opening
from gpucluster.protocol.errors import InvalidRequest, NotNow, StartFailed
from gpucluster.protocol.models import ClusterState
from gpucluster.registry.store import Registry


@pytest.fixture
def says(tmp_path, monkeypatch):
    """Return what makes lines the section ``sharing`` of this site."""
    file = tmp_path / "site.yaml"
    file.touch(0o644)
    monkeypatch.setenv("GPUCLUSTER_SITE", str(file))

    def write(text: str) -> None:
        file.write_text(f"sharing:\n{text}")

    return write


def test_workers_threads_and_memory_count_over_all_clusters(site, says):
    says("  per_user: {workers: 3, threads: 4, memory: 3 GiB, clusters: 2}\n")
    small = {"backend": "local", "memory_limit": "1 GiB", "threads_per_worker": 1}
    first = site.running(name="first", n_workers=2, **{name: small[name] for name in small if name != "backend"})
    second = site.control.create({**small, "n_workers": 2})
    with pytest.raises(StartFailed, match="Each user may have 3 workers on this machine at this site; your other"):
        site.control.wait(second.id, timeout=60)
    with pytest.raises(InvalidRequest, match="n_workers: Each user may have 3 workers on this machine"):
        site.control.patch(first.id, {"n_workers": 4})
    site.control.patch(first.id, {"n_workers": 3})
    third = site.control.create({**small, "n_workers": 0})
    with pytest.raises(NotNow, match="You have 2 living clusters, and each user may have 2 at a time"):
        site.control.create(small)
    site.control.stop(third.id)
    site.control.stop(first.id)
    greedy = site.control.create({**small, "n_workers": 1, "threads_per_worker": 5})
    with pytest.raises(StartFailed, match="may have 4 threads on this machine at this site, and this one would have 5"):
        site.control.wait(greedy.id, timeout=60)


def test_a_cluster_ends_when_the_sites_time_is_over(site, says):
    says("  per_user: {walltime: 00:00:03}\n")
    model = site.running(n_workers=0)
    assert model.ends_at is not None
    ended = site.wait_for(model.id, lambda model: model.state.ended)
    assert (ended.state, ended.reason) == (
        ClusterState.STOPPED,
        "The time that this site gives a cluster on this machine is over.",
    )


def test_outside_of_the_hours_it_is_said_when_it_opens(site, says):
    now = datetime.now()  # noqa: DTZ005  # as the site's hours
    begin, end = now + timedelta(hours=2), now + timedelta(hours=3)
    says(f"  hours: ['{begin:%H:%M}-{end:%H:%M}']\n")
    with pytest.raises(NotNow, match=rf"This site opens again (tomorrow )?at {begin:%H:%M} \(its hours are "):
        site.control.create({"backend": "local"})
    assert site.control.list() == []


def test_the_number_of_clusters_is_bounded_without_a_site(site, monkeypatch):
    model = site.running(n_workers=0)
    registry = Registry()
    monkeypatch.setattr(registry, "list", lambda: [model] * 64)
    with pytest.raises(NotNow, match="64 living clusters"):
        opening.must_be_open(registry)
