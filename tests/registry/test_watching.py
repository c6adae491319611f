"""The watch reports changes and does not read unchanged records."""

import os

import pytest
from gpucluster.protocol.models import ClusterState
from gpucluster.registry import watching
from gpucluster.registry.store import Registry
from gpucluster.registry.watching import RegistryWatch

from .records import write, write_ended


@pytest.fixture
def always(monkeypatch):
    """Check the locks on every look."""
    monkeypatch.setattr(watching, "LOCK_SECONDS", 0.0)


def change(registry, folder, **changes):
    record = registry.read(folder)
    registry.write(folder, record.model_copy(update={"cluster": record.cluster.model_copy(update=changes)}))


def test_changes_are_reported_once(registry):
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


def test_killed_supervisor_is_noticed_by_its_lock(registry, always):
    folder, held = write(registry, "killed", ClusterState.RUNNING)
    watch = RegistryWatch(registry)
    watch.start()
    assert watch.look() == watching.Changes()
    os.close(held)
    [ended] = watch.look().changed
    assert (ended.id, ended.state) == (folder.id, ClusterState.FAILED)
    assert watch.look() == watching.Changes()


def test_unchanged_records_are_not_read(registry, monkeypatch, always):
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
    assert len(reads) == 10, "only the running cluster's lock is checked"


def test_unreadable_record_hides_no_other(registry):
    broken, _held = registry.new_folder()
    watch = RegistryWatch(registry)
    watch.start()
    broken.state.write_text("{")
    _, _other = write(registry, "here", ClusterState.RUNNING)
    assert [model.name for model in watch.look().changed] == ["here"]
