"""The registry on disk: running, ended and removed clusters."""

import json
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from gpucluster.backends.local import LocalSpec
from gpucluster.client.control import Control
from gpucluster.protocol.errors import ClusterNotFound, InvalidState, NameTaken, ProtocolMismatch, RegistryUnsafe
from gpucluster.protocol.models import ClusterState, Wanted
from gpucluster.protocol.version import PROTOCOL_VERSION
from gpucluster.registry import lock, logs
from gpucluster.registry.ending import note_end, tail
from gpucluster.registry.record import DashboardAddress, read_secret
from gpucluster.registry.store import ENDED_KEPT, Registry

from .records import write, write_ended


def test_running_cluster_is_shown(registry):
    folder, _held = write(registry, "alive", ClusterState.RUNNING)
    model = registry.find("alive")
    assert (model.id, model.state, model.n_workers) == (folder.id, ClusterState.RUNNING, 2)
    assert registry.find(folder.id) == model
    assert registry.list() == [model]


@pytest.mark.parametrize("state", [state for state in ClusterState if not state.ended])
def test_dead_process_is_shown_as_failed(registry, state):
    folder, held = write(registry, "dead", state)
    folder.tls.mkdir()
    (folder.tls / "key.pem").write_text("secret")
    folder.scratch.mkdir()
    folder.dashboard.write_text("secret")
    folder.socket.touch()
    folder.log.write_text("".join(f"line {number}\n" for number in range(100)))
    os.close(held)
    model = registry.list()[0]
    assert model.state is ClusterState.FAILED
    assert "(pid 4242) is gone" in model.reason
    assert model.log_tail[-1] == "line 99"
    assert len(model.log_tail) == 20
    assert (model.n_workers, model.workers, model.scheduler_address, model.idle.stops_at) == (0, [], None, None)
    assert [(entry.kind, entry.message) for entry in logs.read_activity(folder.activity)] == [("failure", model.reason)]
    assert registry.list() == [model]
    assert sorted(path.name for path in folder.path.iterdir()) == ["activity", "lock", "log", "state.json"]
    assert Registry(registry.directory).list() == [model], "the end was written to the disk"


def test_killed_while_stopping_counts_as_stopped(registry):
    _, held = write(registry, "dead", ClusterState.STOPPING, wanted=Wanted(stopped=True))
    os.close(held)
    model = registry.find("dead")
    assert (model.state, model.log_tail) == (ClusterState.STOPPED, [])


def test_chosen_scratch_is_deleted_with_dead_cluster(registry, tmp_path):
    folder, held = write(registry, "dead", ClusterState.RUNNING, spec=LocalSpec(local_directory=str(tmp_path)))
    (tmp_path / f"gpucluster-{folder.id}" / "spilled").mkdir(parents=True)
    (tmp_path / "theirs").touch()
    os.close(held)
    assert registry.find("dead").state is ClusterState.FAILED
    assert [path.name for path in tmp_path.iterdir()] == ["theirs"]


def test_simultaneous_readers_are_no_holders(registry):
    folder, held = write(registry, "dead", ClusterState.RUNNING)
    assert lock.is_held(folder.lock)
    os.close(held)
    reader = os.open(folder.lock, os.O_RDWR)
    import fcntl

    fcntl.flock(reader, fcntl.LOCK_SH)
    assert not lock.is_held(folder.lock)
    os.close(reader)


def test_a_damaged_folder_is_shown_as_ended(registry):
    folder, held = write(registry, "dead", ClusterState.RUNNING)
    for file in (folder.killed, folder.secret, folder.dashboard):
        file.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidState, match="it has no dashboard now"):
        registry.dashboard("dead")
    assert read_secret(folder) not in {None, ""}, "no caller has this secret"
    os.close(held)
    assert [model.state for model in registry.list()] == [ClusterState.STOPPED]
    registry.remove("dead")


def test_end_is_logged_once(registry):
    folder, held = write(registry, "dead", ClusterState.RUNNING)
    os.close(held)
    ended = registry.find("dead")
    folder.activity.unlink()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: note_end(folder, ended), range(40)))
    assert [entry.message for entry in logs.read_activity(folder.activity)] == [ended.reason]


def test_running_cluster_precedes_ended_namesake(registry):
    write_ended(registry, "twin")
    folder, _held = write(registry, "twin", ClusterState.RUNNING, age=timedelta(hours=1))
    write_ended(registry, "twin")
    assert registry.find("twin").id == folder.id
    assert registry.list()[0].id == folder.id


def test_unknown_cluster_error_lists_known_ones(registry):
    with pytest.raises(ClusterNotFound, match=r"Cluster 'x' not found\. No cluster is running\."):
        registry.find("x")
    _, _held = write(registry, "here", ClusterState.RUNNING)
    with pytest.raises(ClusterNotFound, match=r"Running clusters: here\."):
        registry.find("deadbeef")
    for strange in ("", "../lock", "a\0b", "\ud800", "x" * 5000, "12345678\n"):
        with pytest.raises(ClusterNotFound):
            registry.find(strange)


def test_names_are_unique_among_running_clusters(registry):
    assert registry.free_name(None) == "cluster-1"
    _, held = write(registry, "cluster-1", ClusterState.STARTING)
    assert registry.free_name(None) == "cluster-2"
    with pytest.raises(NameTaken, match="A cluster named 'cluster-1' already exists") as caught:
        registry.free_name("cluster-1")
    assert [fault.field for fault in caught.value.fields] == ["name"]
    os.close(held)
    assert registry.free_name("cluster-1") == "cluster-1"
    # A list shall not show two clusters with the same name.
    assert registry.free_name(None) == "cluster-2"
    registry.remove("cluster-1")
    assert registry.free_name(None) == "cluster-1"


def test_only_an_ended_cluster_can_be_removed(registry):
    folder, held = write(registry, "one", ClusterState.RUNNING)
    with pytest.raises(InvalidState, match="stop it before you remove it"):
        registry.remove("one")
    os.close(held)
    registry.remove("one")
    assert not folder.path.exists()
    with pytest.raises(ClusterNotFound):
        registry.remove("one")


def test_old_ended_clusters_are_forgotten(registry):
    old = write_ended(registry, "old", age=timedelta(hours=25))
    folders = [write_ended(registry, f"c{n}", age=timedelta(minutes=n)) for n in range(ENDED_KEPT + 3)]
    _, _held = write(registry, "alive", ClusterState.RUNNING, age=timedelta(days=3))
    assert [model.name for model in registry.list()] == ["alive", *(f"c{n}" for n in range(ENDED_KEPT))]
    assert not old.path.exists()
    assert [folder.path.exists() for folder in folders] == [True] * ENDED_KEPT + [False] * 3


def test_last_ended_clusters_are_kept(registry):
    """The log of a long-running cluster matters more than those of later failed starts."""
    for n in range(ENDED_KEPT + 1):
        write_ended(registry, f"c{n}", age=timedelta(minutes=n + 1))
    folder = write_ended(registry, "veteran", age=timedelta(0))
    record = registry.read(folder)
    veteran = record.cluster.model_copy(update={"created_at": "2020-01-01T00:00:00.000Z"})
    registry.write(folder, record.model_copy(update={"cluster": veteran}))
    names = {model.name for model in registry.list()}
    assert "veteran" in names
    assert len(names) == ENDED_KEPT


def as_written_by(folder, version, **changes):
    """Rewrite a record like another version."""
    content = json.loads(folder.state.read_text())
    content["cluster"] |= {"protocol_version": version, "of_the_future": [1], **changes}
    content["news"] = {}
    folder.state.write_text(json.dumps(content))


@pytest.mark.parametrize("changes", [{}, {"state": "levitating", "name": 5, "spec": None, "pid": "x"}])
def test_other_version_is_listed_and_can_be_stopped(registry, changes):
    folder, held = write(registry, "future", ClusterState.RUNNING)
    as_written_by(folder, 99, **changes)
    _, _held2 = write(registry, "here", ClusterState.RUNNING)
    assert {model.name for model in registry.list()} == {"here", folder.id if changes else "future"}
    model = registry.find(folder.id)
    assert (model.state, model.can, model.scheduler_address) == (ClusterState.RUNNING, (), None)
    assert model.notice == (
        f"It was created by another version of gpucluster (protocol 99, here {PROTOCOL_VERSION}). "
        "Here it can only be stopped."
    )
    before = folder.state.read_bytes()
    os.close(held)
    ended = registry.find(folder.id)
    assert ended.state is ClusterState.FAILED
    assert ended.reason.startswith("Its process is gone. It was created by another version")
    assert folder.state.read_bytes() == before, "an unknown record is not overwritten"
    registry.remove(folder.id)
    assert not folder.path.exists()


def test_cluster_of_older_version_can_only_be_stopped(registry):
    folder, _held = write(registry, "older", ClusterState.RUNNING)
    as_written_by(folder, 1)
    assert "protocol 1, here" in registry.find("older").notice


def test_unknown_kind_is_listed_with_warning(registry):
    folder, held = write(registry, "queued", ClusterState.RUNNING, backend="unheard-of", backend_title="Batch jobs")
    content = json.loads(folder.state.read_text())
    content["cluster"]["spec"] |= {"backend": "unheard-of", "partition": "gpu"}
    folder.state.write_text(json.dumps(content))
    model = registry.find("queued")
    assert model.warnings == [
        "Its kind 'unheard-of' is not installed in this Python environment. The cluster can still be used and stopped."
    ]
    assert (model.backend_title, model.spec.model_dump()["partition"]) == ("Batch jobs", "gpu")
    os.close(held)
    assert registry.find("queued").state is ClusterState.FAILED
    assert json.loads(folder.state.read_text())["cluster"]["spec"]["partition"] == "gpu"


@pytest.mark.parametrize("content", [b"", b"{", b"null", b"[]", b"\xff\xfe", b'{"kind": "cluster", "cluster": 5}'])
def test_a_broken_record_hides_no_other_cluster(registry, content):
    folder, held = registry.new_folder()
    folder.state.write_bytes(content)
    _, _held = write(registry, "here", ClusterState.RUNNING)
    assert [model.name for model in registry.list()] == ["here"]
    assert registry.find("here").name == "here"


def test_interrupted_creation_is_swept(registry):
    empty, held = registry.new_folder()  # killed before the record was written
    os.close(held)
    fresh, held = registry.new_folder()  # still being created
    _, held_too = write(registry, "here", ClusterState.RUNNING)
    with registry.exclusive():
        registry.sweep()
    assert not empty.path.exists()
    assert fresh.path.exists()
    assert registry.find("here").state is ClusterState.RUNNING


def test_touch_updates_all_files(registry):
    folder, _held = write(registry, "here", ClusterState.RUNNING)
    for inner in (folder.tls, folder.comm):
        inner.mkdir()
        (inner / "secret").write_text("x")
    paths = [folder.path, *folder.path.rglob("*")]
    for path in paths:
        os.utime(path, (0, 0))
    folder.touch()
    assert [path for path in paths if path.stat().st_mtime == 0] == []


def test_foreign_entry_is_ignored(registry):
    (registry.directory / "notes.txt").write_text("mine")
    (registry.directory / "0123abcd").write_text("a file where a folder should be")
    (registry.directory / "89abcdef").mkdir()
    assert registry.list() == []
    assert (registry.directory / "notes.txt").exists()


def test_missing_dashboard_is_reported(registry):
    folder, _held = write(registry, "new", ClusterState.STARTING)
    with pytest.raises(InvalidState, match="is starting: it has no dashboard now"):
        registry.dashboard("new")
    address = DashboardAddress(host="::1", port=1234, prefix="secret")
    folder.dashboard.write_text(address.model_dump_json())
    assert registry.dashboard("new").url == "http://[::1]:1234/secret/status"


def test_tail_reads_only_the_end(tmp_path):
    log = tmp_path / "log"
    assert tail(log, 5) == []
    log.write_bytes(b"x" * 10_000_000 + b"\n" + b"\xff odd bytes\nlast\n")
    assert tail(log, 2) == ["\ufffd odd bytes", "last"]
    assert len("".join(tail(log, 5))) < 10_000


def test_printed_control_characters_are_escaped(tmp_path):
    log = tmp_path / "log"
    log.write_bytes(b"\x1b[31mred\x07\tand \xc2\x9b31m\n\x1b]0;title\x00\n")
    assert tail(log, 2) == ["\\x1b[31mred\\x07\tand \\x9b31m", "\\x1b]0;title\\x00"]


def test_unknown_name_is_escaped(registry):
    with pytest.raises(ClusterNotFound) as refusal:
        registry.find("\x1b[2J\n\x00")
    assert refusal.value.message == r"Cluster '\x1b[2J\n\x00' not found. No cluster is running."


def test_deleted_directory_is_recreated(registry):
    """Cleaners of /tmp ignore that a Jupyter server still runs."""
    _, held = write(registry, "gone", ClusterState.RUNNING)
    shutil.rmtree(registry.directory)
    assert registry.list() == []
    assert registry.directory.stat().st_mode & 0o777 == 0o700
    shutil.rmtree(registry.directory)
    with registry.exclusive():
        write(registry, "new", ClusterState.RUNNING)
    assert [model.name for model in registry.list()] == ["new"]
    os.close(held)


def test_replaced_directory_is_checked(registry, tmp_path):
    shutil.rmtree(registry.directory)
    registry.directory.symlink_to(tmp_path / "nowhere")
    with pytest.raises(RegistryUnsafe):
        registry.list()
    with pytest.raises(RegistryUnsafe), registry.exclusive():
        pass
    registry.directory.unlink()
    registry.directory.mkdir()


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        (
            "TypeError: Level not an integer or a valid string: {'x': 1}",
            r"Its process could not start: TypeError: Level not an integer or a valid string: \{'x': 1\}\.",
        ),
        (
            "2026-11-28 12:00:00,000 INFO    root  nearly there",
            r"Its process \(pid \d+\) is gone: it was killed, or the machine was restarted\. Its workers .+",
        ),
    ],
)
def test_error_of_dead_process_is_the_reason(registry, last, reason):
    folder, held = write(registry, "one", ClusterState.STARTING)
    folder.log.write_text(f'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\n{last}\n')
    os.close(held)
    assert re.fullmatch(reason, registry.find("one").reason)


def test_other_version_can_only_be_stopped(site, monkeypatch):
    id = site.running().id
    monkeypatch.setattr("gpucluster.registry.unreadable.PROTOCOL_VERSION", 99)
    control = Control(site.directory)
    assert control.get(id).notice.endswith("Here it can only be stopped.")
    with pytest.raises(ProtocolMismatch, match="can only be stopped. It was created by another version"):
        control.patch(id, {"n_workers": 2})
    ended = control.stop(id)
    assert (ended.state, ended.reason) == (ClusterState.STOPPED, "Stopped by a signal.")
