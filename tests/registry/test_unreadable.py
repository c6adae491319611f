"""Unreadable records are listed with the reason and do not affect other clusters."""

import asyncio
import json
import os
import shutil
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import UnixStreamServer

import pytest
from gpucluster.protocol.errors import InvalidState
from gpucluster.protocol.models import ClusterState
from gpucluster.registry import logs, store, unreadable
from gpucluster.registry.links import living_links
from gpucluster.registry.record import Folder, read_secret
from gpucluster.registry.started_elsewhere import _may_try, read_remembered
from gpucluster.registry.store import Registry
from gpucluster.registry.watching import RegistryWatch
from gpucluster.supervisor.reaper import reap

from .records import write, write_ended


def directory(folder: Folder) -> None:
    folder.state.unlink()
    folder.state.mkdir()


def pipe(folder: Folder) -> None:
    folder.state.unlink()
    os.mkfifo(folder.state)


def link(folder: Folder) -> None:
    folder.state.unlink()
    folder.state.symlink_to(folder.state)


def large(folder: Folder) -> None:
    with folder.state.open("wb") as file:
        file.truncate(3 * 2**30)


def copy_of_another(folder: Folder) -> None:
    folder.state.write_text(folder.state.read_text().replace(folder.id, "../../etc"))


def text(content: str) -> object:
    def damage(folder: Folder) -> None:
        folder.state.write_text(content)

    return damage


DAMAGES = [directory, pipe, link, large, copy_of_another]
DAMAGES += map(text, ("", "{nonsense", "[" * 100_000, '{"kind": "cluster"'))


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_ended_cluster_is_listed_and_removable(registry, damage):
    good, _held = write(registry, "good", ClusterState.RUNNING)
    bad = write_ended(registry, "bad")
    damage(bad)
    registry.sweep()
    assert registry.free_name(None) == "cluster-1"
    (first, second) = RegistryWatch(registry).start()
    assert (first.name, second.id, second.state) == ("good", bad.id, ClusterState.FAILED)
    assert f"Its record cannot be read ({bad.state}: " in second.reason
    registry.remove(bad.id)
    assert [model.name for model in Registry(registry.directory).list()] == ["good"]
    assert not bad.path.exists()


def test_id_is_folder_name(registry):
    original = write_ended(registry, "original")
    copy = registry.folder("abd00001")
    shutil.copytree(original.path, copy.path)
    assert sorted(model.id for model in registry.list()) == sorted([original.id, "abd00001"])
    assert registry.find("abd00001").reason.startswith(f"Its record cannot be read ({copy.state}: ")
    assert registry.remove("abd00001").id == "abd00001"
    assert [model.id for model in registry.list()] == [original.id] and not copy.path.exists()


def test_odd_files_do_not_break_list(registry):
    folder, held = write(registry, "dead", ClusterState.RUNNING)
    os.close(held)
    folder.lock.unlink()
    os.mkfifo(folder.lock)
    for path in (folder.log, folder.activity, folder.killed):
        path.mkdir()
    assert [model.state for model in registry.list()] == [ClusterState.FAILED]
    folder.lock.unlink()
    folder.lock.symlink_to("/dev/zero")
    assert [model.state for model in Registry(registry.directory).list()] == [ClusterState.FAILED]


def test_pipes_in_place_of_files_do_not_block(registry, monkeypatch):
    folder, held = write(registry, "dead", ClusterState.RUNNING)
    folder.secret.unlink()
    files = ("remembered", "reaping", "killed", "log", "process", "secret", "dashboard", "links", "submitted")
    for name in files:
        os.mkfifo(getattr(folder, name))
    assert (read_remembered(folder), read_secret(folder), living_links(folder)) == (None, None, [])
    with pytest.raises(InvalidState):
        registry.dashboard("dead")
    assert asyncio.run(reap(folder)).startswith("Processes started elsewhere may still be running: ")
    assert [entry.kind for entry in logs.read_activity(folder.activity)] == ["failure"]
    folder.activity.unlink()
    os.mkfifo(folder.activity)
    reaped: list[Folder] = []
    monkeypatch.setattr(store, "start_reaper", lambda folder, python: reaped.append(folder))
    os.close(held)
    assert [model.state for model in registry.list()] == [ClusterState.FAILED]
    assert reaped == [folder]
    assert _may_try(folder) and not _may_try(folder)


class Process:
    """A server at the socket of a folder."""

    def __init__(self, folder: Folder, status: int, body: str) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                assert self.path == "/model"
                self.send_response(status)
                self.end_headers()
                self.wfile.write(body.encode())

            def address_string(self) -> str:
                return ""

            def log_message(self, *_: object) -> None:
                pass

        self.server = UnixStreamServer(str(folder.socket), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.mark.parametrize("damage", DAMAGES)
def test_running_cluster_with_damaged_record_is_queried(registry, damage, monkeypatch):
    monkeypatch.setattr(unreadable, "_ANSWER_SECONDS", 30.0)
    folder, held = write(registry, "runs", ClusterState.RUNNING)
    model = registry.find("runs")
    damage(folder)
    assert registry.list() == [], "it has no socket yet"
    process = Process(folder, 200, model.model_dump_json())
    assert registry.list() == [model]
    assert registry.find("runs") == model
    with pytest.raises(InvalidState, match="stop it before"):
        registry.remove("runs")
    process.close()
    os.close(held)
    assert [model.state for model in registry.list()] == [ClusterState.FAILED]


@pytest.mark.parametrize(
    ("status", "body", "listed"),
    [
        (409, InvalidState("This process is on standby.").model().model_dump_json(), False),
        (200, "{}", True),
        (200, json.dumps("[" * 1000), True),
        (426, "nonsense", True),
    ],
)
def test_unexpected_answer_can_be_stopped(registry, status, body, listed):
    folder, held = write(registry, "runs", ClusterState.RUNNING)
    directory(folder)
    process = Process(folder, status, body)
    models = registry.list()
    process.close()
    assert [model.id for model in models] == [folder.id] * listed
    for model in models:
        assert model.state is ClusterState.RUNNING
        assert model.notice.endswith("Its process does not respond. It can only be stopped here.")
    os.close(held)


@pytest.mark.processes
def test_closed_folder_is_reported(registry):
    from tests.otheruser import OtherUser

    user = OtherUser({"PATH": "/usr/bin:/bin"})
    try:
        code = Path(__file__).with_name("closed_folder.py").read_text()
        seen = json.loads(user.run("-c", code))
    finally:
        user.close()
    folder = seen["folder"]
    notice = seen["closed"][1][2]
    assert seen["closed"] == [["good", "running", None], [folder[-8:], "running", notice]]
    assert f"{folder}/" in notice and "Permission denied" in notice
    assert notice.endswith(
        f"Whether it is running is unknown; to find out, make its folder readable: chmod 700 {folder}"
    )
    assert seen["stopped"] == f"The cluster's folder cannot be read: chmod 700 {folder}, then stop it."
    assert seen["refused"].startswith(f"You may not write to {folder} on the disk ")
    # In a read-only folder an existing record can still be written; new files cannot.
    assert seen["read_only"] == ["dead", "failed"] and seen["written"]
    assert seen["linked"] == seen["removed"] == seen["refused"]
