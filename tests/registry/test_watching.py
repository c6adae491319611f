"""What changes in the registry is seen, and what does not change is not read."""

from __future__ import annotations

import os

import pytest
from gpucluster.protocol.models import ClusterState
from gpucluster.registry import watching
from gpucluster.registry.store import Registry
from gpucluster.registry.watching import RegistryWatch

from .test_store import registry, write, write_ended  # noqa: F401


@pytest.fixture
def always(monkeypatch):
    """Try the locks at each look."""
    monkeypatch.setattr(watching, "LOCK_SECONDS", 0.0)


def change(registry, folder, **changes):  # noqa: F811
    record = registry.read(folder)
    registry.write(folder, record.model_copy(update={"cluster": record.cluster.model_copy(update=changes)}))


def test_changes_are_reported_once(registry):  # noqa: F811
    first, _held = write(registry, "first", ClusterState.RUNNING)
    watch = RegistryWatch(registry)
    assert [model.name for model in watch.start()] == ["first"]
    assert watch.look() == watching.Changes()
    second, held = write(registry, "second", ClusterState.STARTING)
    assert [model.name for model in watch.look().changed] == ["second"]
    change(registry, second, n_workers=7)
    assert [(model.name, model.n_workers) for model in watch.look().changed] == [("second", 7)]
    assert watch.look() == watching.Changes()
    os.close(held)
    registry.delete(second)
    looked = watch.look()
    assert (looked.changed, looked.removed) == ([], [second.id])
    assert set(watch.known) == {first.id}


def test_killed_supervisor_is_noticed_by_its_lock(registry, always):  # noqa: F811
    folder, held = write(registry, "killed", ClusterState.RUNNING)
    watch = RegistryWatch(registry)
    watch.start()
    assert watch.look() == watching.Changes()
    os.close(held)
    [ended] = watch.look().changed
    assert (ended.id, ended.state) == (folder.id, ClusterState.FAILED)
    assert watch.look() == watching.Changes()


def test_unchanged_records_are_not_read(registry, monkeypatch, always):  # noqa: F811
    _, _held = write(registry, "alive", ClusterState.RUNNING)
    for number in range(5):
        write_ended(registry, f"ended-{number}")
    watch = RegistryWatch(registry)
    watch.start()
    reads = []
    original = Registry.record
    monkeypatch.setattr(Registry, "record", lambda self, folder: reads.append(folder.id) or original(self, folder))
    for _ in range(10):
        assert watch.look() == watching.Changes()
    assert len(reads) == 10, "the living one's lock is tried, and nothing else"


def test_unreadable_record_hides_no_other(registry):  # noqa: F811
    broken, _held = registry.new_folder()
    watch = RegistryWatch(registry)
    watch.start()
    broken.state.write_text("{")
    _, _other = write(registry, "here", ClusterState.RUNNING)
    assert [model.name for model in watch.look().changed] == ["here"]
