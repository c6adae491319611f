"""The messages between instructors and clusters, without a cluster."""

import asyncio
import os
import pwd
import socket
import threading
import time

import pytest
from gpucluster.cli.node_actions import class_text, read
from gpucluster.cli.tables import table
from gpucluster.cli.verbs import parser_for
from gpucluster.client.node import _gpus, ask, class_clusters
from gpucluster.client.stopping import how_it_ended
from gpucluster.operating_system.sockets import close, connect, groups_of, listen
from gpucluster.protocol.errors import InvalidRequest
from gpucluster.protocol.instructing import ClassCluster, ClassClusters, ClusterFacts, HeldGPU, InstructorRequest
from gpucluster.protocol.messages import Message, MessageCode
from gpucluster.protocol.models import ClusterModel, ClusterState
from gpucluster.sharing.instructor_lines import (
    MOST_OF_A_USER,
    LineTooLong,
    listening,
    receive_line,
    send_line,
    socket_name,
)
from gpucluster.site.reading import Instructors, instructors, is_instructor
from gpucluster.supervisor.instructor_listener import InstructorListener, facts_of
from pydantic import ValidationError

from tests.models import cluster_model


def model(**changes: object) -> ClusterModel:
    return cluster_model("000000a1", **{"name": "thesis", **changes})


def test_facts_hold_no_name():
    facts = facts_of(model())
    assert "thesis" not in facts.model_dump_json()
    assert ClusterFacts.model_validate_json(facts.model_dump_json()) == facts


@pytest.mark.parametrize(
    "line",
    [
        '{"ask": "scale"}',
        '{"ask": "message"}',
        '{"ask": "message", "text": "  "}',
        '{"ask": "message", "text": "' + "x" * 501 + '"}',
        '{"ask": "stop", "text": 3}',
        '{"ask": "stop", "id": "other"}',
        "[]",
        "stop",
    ],
)
def test_what_is_no_request_is_refused(line):
    with pytest.raises(ValidationError):
        InstructorRequest.model_validate_json(line)


def test_text_is_plain():
    request = InstructorRequest(ask="message", text="one\r\n two\u202e\x1b]0;x\x07")
    assert request.text == "one two??]0;x?"


def test_instructors_by_user_and_group(monkeypatch, tmp_path):  # type: ignore[no-untyped-def]
    path = tmp_path / "site.yaml"
    monkeypatch.setenv("GPUCLUSTER_SITE", str(path))
    assert not instructors().include(0, {0}), "without a site there is none, not even root"
    path.write_text("sharing: {instructors: [staff, daemon, who-knows]}\n")
    path.chmod(0o644)
    named = instructors()
    assert named.names == ("staff", "daemon", "who-knows")
    assert named.include(0, set()) and named.include(12345, named.groups)
    assert not named.include(12345, {12345})
    assert is_instructor() is named.include(os.getuid(), {os.getgid(), *os.getgroups()})
    assert not Instructors().include(0, {0})


def test_lines_are_bounded():
    one, other = socket.socketpair()
    with one, other:
        send_line(one, InstructorRequest(ask="stop"))
        assert receive_line(other, time.monotonic() + 5) == b'{"ask":"stop","text":""}'
        one.sendall(b"x" * 5000)
        with pytest.raises(LineTooLong):
            receive_line(other, time.monotonic() + 5, 4096)
        with pytest.raises(TimeoutError):
            receive_line(one, time.monotonic() - 1)
        one.shutdown(socket.SHUT_WR)
        while other.recv(4096):
            pass
        assert receive_line(other, time.monotonic() + 5) is None


def test_kernel_reports_groups_and_owners():
    listener = listen(socket_name("0000000a"), 1)
    try:
        assert [[id for id, _ in ids] for ids in listening()[0].values()] == [["0000000a"]]
        with connect(socket_name("0000000a"), 5), listener.accept()[0] as accepted:
            assert groups_of(accepted) == {os.getgid(), *os.getgroups()}
        with pytest.raises(OSError, match="in use"):
            listen(socket_name("0000000a"), 1)
        assert ask("0000000a", os.getuid() + 1, None, time.monotonic() + 5).problem == "now belongs to another user"
        # No one accepts connections.
        assert ask("0000000a", os.getuid(), None, time.monotonic() + 0.3).problem is not None
    finally:
        close(listener)
    assert listening() == ({}, 0)
    assert ask("0000000a", os.getuid(), None, time.monotonic() + 5).problem == "has just stopped, or is not a cluster"


async def test_taken_socket_name_is_replaced(monkeypatch, tmp_path, caplog):
    site = tmp_path / "site.yaml"
    site.write_text(f"sharing: {{instructors: [{pwd.getpwuid(os.getuid()).pw_name}]}}\n")
    site.chmod(0o644)
    monkeypatch.setenv("GPUCLUSTER_SITE", str(site))
    taken = listen(socket_name("000000a1"), 1)
    listener = InstructorListener("000000a1", lambda: facts_of(model()), lambda request, who: None)
    try:
        listener.look()
        assert f"(uid {os.getuid()}) holds the name" in caplog.text
        close(taken)
        [cluster] = await asyncio.to_thread(lambda: class_clusters().clusters)
        [[name, _]] = listening()[0][os.getuid()]
        assert (cluster.id, cluster.state) == ("000000a1", ClusterState.RUNNING) and name != cluster.id
    finally:
        listener.close()
        close(taken)


def test_closing_listener_ends_accept():
    listener = listen(socket_name("0000000b"), 1)
    ended = threading.Event()

    def accept() -> None:
        with pytest.raises(OSError):
            listener.accept()
        ended.set()

    threading.Thread(target=accept, daemon=True).start()
    close(listener)
    assert ended.wait(30)


def test_many_names_of_one_user_are_left_out():
    listeners = [listen(socket_name(f"{number:08x}"), 1) for number in range(MOST_OF_A_USER + 3)]
    try:
        found, left_out = listening()
        assert (len(found[os.getuid()]), left_out) == (MOST_OF_A_USER, 3)
    finally:
        for listener in listeners:
            close(listener)


def test_long_names_do_not_widen_table():
    held = [HeldGPU(uuid="g" * 80, slot=1, slots=2)] * 64
    gpus = _gpus(held, {})
    assert len(gpus) == 9 and gpus[-1] == "56 more"
    long = {"kind": "k" * 5000, "state": ClusterState.RUNNING, "gpus": ["g" * 80] * 64, "since": "2026-01-01T00:00:00Z"}
    forged = ClassCluster(id="a", user="ada", **long)
    text = class_text(ClassClusters(clusters=[forged]))
    assert max(map(len, text.splitlines())) < 200
    assert max(map(len, table([("A", "B"), ("a\x1b" * 900, "b" * 9000)]).splitlines())) < 460


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["message", "ada"], "Use: node message USER"),
        (["stop"], "Use: node stop USER"),
        (["stop", "all"], "one user at a time"),
        (["stopp", "ada"], "node accepts 'message' and 'stop', not 'stopp'. Did you mean 'stop'?"),
        (["--reason", "x"], "--reason is only for 'stop'"),
        (["message", "ada", "x", "--reason", "y"], "--reason is only for 'stop'"),
        (["--class", "stop", "ada"], "--class lists the clusters"),
    ],
)
def test_what_can_be_typed(words, sentence):
    with pytest.raises(InvalidRequest) as refused:
        read(parser_for("node", "gpucluster").read(words))
    assert sentence in refused.value.message


def test_the_class_as_text():
    silent = ClassCluster(id="b", user="grace", problem="It does not respond.")
    running = ClassCluster(
        id="a", user="ada", mine=True, kind="local", kind_title="CPU", state=ClusterState.RUNNING, n_workers=2
    )
    many = silent.model_copy(update={"user": "ida", "times": 30})
    text = class_text(ClassClusters(clusters=[running, silent, many], left_out=2))
    for part in (
        "ada (you)  CPU", "grace: It does not respond.", "Not listed: 2", "grace      ", "(unknown)", "(30 unknown)",
        "ida: It does not respond (30 times).",
    ):  # fmt: skip
        assert part in text
    assert class_text(ClassClusters(clusters=[])).startswith("No cluster on this machine")


def test_connected_client_is_notified_of_stop():
    reason = "Stopped by instructor ada: The exam begins."
    stopped = model(state=ClusterState.STOPPED, messages=[Message.of(MessageCode.ENDED, reason)])
    news = Message.of(MessageCode.STOPPED, stopped.reason, subject="instructor ada")
    stopped = stopped.model_copy(update={"messages": [*stopped.messages, news]})
    for by in (None, "instructor ada"):
        assert how_it_ended(stopped, by) == f"The cluster 'thesis' ended. {reason}"
