"""A learner with a real cluster, an instructor and a third user on one machine: three real users."""

import grp
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from gpucluster.sharing.node import VARIABLE
from gpucluster.supervisor.instructor_listener import REQUESTS

from tests.conftest import until
from tests.otheruser import OtherUser

pytestmark = pytest.mark.processes
ASKER = Path(__file__).with_name("asker.py")
GROUP = "staff"
NAMED = f"sharing: {{instructors: [{GROUP}]}}\n"
SECRET_NAME = "thesis-on-k-means"
FORGED = """
import socket, sys, time
held = []
for number, answer in enumerate((b"", b"{}\\n", b"x" * 100_000, b"nonsense\\n", b'{"done": true}\\n')):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"\\0{sys.argv[1]}/i/{number:08x}")
    listener.listen(8)
    held.append((listener, answer))
print("listens", flush=True)
taken = []
while True:
    for listener, answer in held:
        listener.settimeout(0.05)
        try:
            taken.append(listener.accept()[0])
            taken[-1].setblocking(False)
            taken[-1].send(answer)
        except OSError:
            pass
"""
HOLDS = """
import socket, sys, time
listener = socket.socket(socket.AF_UNIX)
listener.bind(f"\\0{sys.argv[1]}")
listener.listen(8)
print("listens", flush=True)
time.sleep(600)
"""
ASKS = """
import socket, sys
from gpucluster.operating_system.sockets import connect
connection = connect(sys.argv[1], 20)
try:
    connection.sendall(b'{"ask": "stop", "text": "I say so"}\\n')
except OSError:
    pass
received = b""
try:
    while piece := connection.recv(4096):
        received += piece
except ConnectionError:
    pass
print(received.decode())
"""


class Classroom:
    """The three users, their shells, and the site's file."""

    def __init__(self, folder: Path) -> None:
        self.site = folder / "site.yaml"
        self.configure(NAMED)
        self.node = os.urandom(4).hex()
        variables = {VARIABLE: self.node, "PATH": "/usr/bin:/bin", "GPUCLUSTER_SITE": str(self.site)}
        self.learner = OtherUser(variables)
        self.instructor = OtherUser(variables, [grp.getgrnam(GROUP).gr_gid])
        self.outsider = OtherUser(variables)
        self._shells: dict[str, subprocess.Popen[str]] = {}

    @property
    def name(self) -> str:
        """The name of the socket of the learner's cluster."""
        return f"gpucluster-{self.node}/i/{self.cluster()['id']}"

    def configure(self, text: str) -> None:
        self.site.write_text(text)
        self.site.chmod(0o644)

    def ask(self, user: OtherUser, *words: str) -> tuple[int, str, str]:
        """Return the exit code, output and errors of a command."""
        shell = self._shells.get(user.name)
        if shell is None:
            shell = user.start(str(ASKER), stdin=subprocess.PIPE, stderr=None)
            assert shell.stdout is not None and shell.stdout.readline() == "ready\n"
            self._shells[user.name] = shell
        assert shell.stdin is not None and shell.stdout is not None
        shell.stdin.write(json.dumps(words) + "\n")
        shell.stdin.flush()
        code, out, err = json.loads(shell.stdout.readline())
        return code, out, err

    def json(self, user: OtherUser, *words: str) -> Any:
        code, out, err = self.ask(user, *words, "--json")
        assert code == 0, err
        return json.loads(out)

    def cluster(self) -> dict[str, Any]:
        """Return the learner's cluster as the learner sees it."""
        found: dict[str, Any] = self.json(self.learner, "status", SECRET_NAME)
        return found

    def seen(self) -> list[dict[str, Any]]:
        """Return the class as the instructor sees it."""
        found: list[dict[str, Any]] = self.json(self.instructor, "node", "--class")["clusters"]
        return found

    def close(self) -> None:
        for shell in self._shells.values():
            shell.kill()
            shell.communicate()
        for user in (self.learner, self.instructor, self.outsider):
            for process in user.processes():
                process.kill()
            user.close()


@pytest.fixture(scope="module")
def classroom():
    with tempfile.TemporaryDirectory(prefix="gpcclass", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        found = Classroom(Path(folder))
        try:
            code, _, err = found.ask(
                found.learner, "create", "--backend", "local", "--n-workers", "1", "--memory-limit", "400 MiB",
                "--name", SECRET_NAME,
            )  # fmt: skip
            assert code == 0, err
            until(found.seen)
            yield found
        finally:
            found.close()


def test_the_instructor_sees_the_class_without_names(classroom):
    [seen] = classroom.seen()
    assert (seen["user"], seen["kind"], seen["state"], seen["n_workers"], seen["mine"]) == (
        classroom.learner.name, "local", "running", 1, False
    ), repr(seen)  # fmt: skip
    assert SECRET_NAME not in json.dumps(seen)
    assert SECRET_NAME not in Path("/proc/net/unix").read_text()
    _, out, _ = classroom.ask(classroom.instructor, "node", "--class")
    assert classroom.learner.name in out and "running" in out and SECRET_NAME not in out


def received(model: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the messages of instructors to a cluster."""
    return [message for message in model["messages"] if message["code"] == "message"]


def test_message_is_shown_in_every_interface(classroom):
    before = len(received(classroom.cluster()))
    code, out, err = classroom.ask(
        classroom.instructor, "node", "message", classroom.learner.name, "Please \x1b[31mstop\x1b[0m\nby 12\udc9b."
    )
    assert (code, out) == (0, f"Told 1 cluster of {classroom.learner.name}.\n"), err
    model = classroom.cluster()
    [message] = received(model)[before:]
    assert (message["code"], message["subject"], message["text"]) == (
        "message", classroom.instructor.name, "Please ?[31mstop?[0m by 12?."
    )  # fmt: skip
    entry = classroom.json(classroom.learner, "activity", SECRET_NAME)["entries"][-1]
    assert (entry["kind"], entry["by"]) == ("message", f"instructor {classroom.instructor.name}")
    assert "(instructor " in classroom.ask(classroom.learner, "status", SECRET_NAME)[1]


def test_only_instructors_are_served(classroom):
    before = classroom.cluster()
    for user in (classroom.outsider, classroom.learner):
        for words in (["--class"], ["message", "all", "hello"], ["stop", classroom.learner.name, "--yes"]):
            code, out, err = classroom.ask(user, "node", *words)
            assert (code, out) == (1, "") and "Only instructors of this site" in err, words
        # A request without our command is refused, too.
        answer = json.loads(user.run("-c", ASKS, classroom.name))
        assert answer == {"done": False, "message": "Only instructors of this site may contact other users' clusters."}
    assert classroom.cluster()["state"] == "running"
    assert received(classroom.cluster()) == received(before)


def test_what_an_instructor_types_is_checked(classroom):
    for words, sentence in (
        (["message", "all", "x" * 501], "text: must have 1 to 500 characters, not 501."),
        (["message", "all", " \n "], "text: must not be empty; write a message for the owner."),
        (["message", "all"], "Use: node message USER"),
        (["stop", classroom.learner.name], "Nothing was stopped: there is no terminal to confirm it. Add --yes"),
        (["stop", "all", "--yes"], "one user at a time"),
        (["stop", "who", "--yes"], "The user 'who' has no cluster on this machine that instructors can reach. "
         f"These have: {classroom.learner.name}."),
        (["mesage", "all", "hello"], "Did you mean 'message'?"),  # codespell:ignore
    ):  # fmt: skip
        code, _, err = classroom.ask(classroom.instructor, "node", *words)
        assert code != 0 and sentence in err, (words, err)


@pytest.mark.full
def test_forged_names_are_ignored(classroom):
    with classroom.outsider.start("-c", FORGED, f"gpucluster-{classroom.node}") as forger:
        assert forger.stdout is not None
        assert forger.stdout.readline() == "listens\n"
        seen = classroom.seen()
        assert [each["state"] for each in seen if each["user"] == classroom.learner.name] == ["running"]
        forged = [each for each in seen if each["user"] == classroom.outsider.name]
        assert sum(each["times"] for each in forged) == 5, "the owners are wrong"
        assert all(each["state"] is None and each["problem"] for each in forged)
        assert len({each["problem"] for each in forged}) == len(forged), "a problem is repeated"
        answer = classroom.ask(classroom.instructor, "node", "message", "all", "The room closes.", "--json")[1]
        assert json.loads(answer)["users"] == [classroom.learner.name]
        problems = json.loads(answer)["problems"]
        assert len(set(problems)) == len(problems) and all(classroom.outsider.name in each for each in problems)
        forger.kill()


def test_flood_does_not_delay_instructor(classroom):
    flooder = str(Path(__file__).with_name("flooder.py"))
    with classroom.outsider.start(flooder, classroom.name, "60") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "floods\n"
        assert [each["state"] for each in classroom.seen()] == ["running"]
        code, _, err = classroom.ask(classroom.instructor, "node", "message", "all", "Among many.")
        assert code == 0, err
        assert received(classroom.cluster())[-1]["text"] == "Among many."
        pid = classroom.cluster()["pid"]
        assert len(os.listdir(f"/proc/{pid}/fd")) < 200, "connections pile up"
        process.kill()
    # Some sixty connections still wait in the kernel; this answer comes after them.
    assert [each["state"] for each in classroom.seen()] == ["running"]


@pytest.mark.full
def test_hanging_process_is_reported(classroom):
    before = classroom.cluster()
    os.kill(before["pid"], signal.SIGSTOP)
    try:
        [seen] = classroom.seen()
        assert (seen["user"], seen["state"]) == (classroom.learner.name, None)
        assert seen["problem"] == "It does not respond: its process hangs or was suspended."
        code, out, _ = classroom.ask(classroom.instructor, "node", "message", "all", "Too late.")
        assert code == 1 and "does not respond" in out
    finally:
        os.kill(before["pid"], signal.SIGCONT)
    assert [each["state"] for each in classroom.seen()] == ["running"]
    assert received(classroom.cluster()) == received(before), "a failed request was carried out later"


@pytest.mark.full
def test_changed_site_file_is_read_again(classroom, wait_until):
    name = classroom.name
    classroom.configure("sharing: {message: Hello.}\n")
    wait_until(lambda: not _listens(name))
    code, _, err = classroom.ask(classroom.instructor, "node", "--class")
    assert code == 1 and "This site has no instructors." in err
    classroom.configure(f"sharing: {{instructors: [{classroom.outsider.name}]}}\n")
    wait_until(lambda: _listens(name))
    assert "Only instructors" in classroom.instructor.run("-c", ASKS, name)
    classroom.configure(NAMED)
    wait_until(lambda: classroom.ask(classroom.instructor, "node", "--class")[0] == 0)
    assert [each["state"] for each in classroom.seen()] == ["running"]


def test_squatted_name_hides_no_cluster(classroom, wait_until):
    name, id, outsider = classroom.name, classroom.cluster()["id"], classroom.outsider
    classroom.configure("sharing: {message: Hello.}\n")
    wait_until(lambda: not _listens(name))
    with outsider.start("-c", HOLDS, name) as process:
        assert process.stdout is not None and process.stdout.readline() == "listens\n"
        classroom.configure(NAMED)
        wait_until(lambda: classroom.ask(classroom.instructor, "node", "--class")[0] == 0)
        wait_until(lambda: any(each["state"] == "running" for each in classroom.seen()))
        found = {each["user"]: (each["id"], each["state"]) for each in classroom.seen()}
        process.kill()
    assert found == {classroom.learner.name: (id, "running"), outsider.name: (id, None)}
    lines = classroom.json(classroom.learner, "logs", SECRET_NAME)["lines"]
    assert any(f"The user {outsider.name} (uid {outsider.uid}) holds the name" in line for line in lines)


def test_stop_names_instructor_and_reason(classroom, wait_until):
    for _ in range(REQUESTS + 1):
        code, out, _ = classroom.ask(classroom.instructor, "node", "message", classroom.learner.name, "Stop, please.")
    assert code == 1 and f"It has had {REQUESTS} messages from you" in out
    # A stop is not limited.
    code, out, err = classroom.ask(
        classroom.instructor, "node", "stop", classroom.learner.name, "--reason", "The exam begins", "--yes"
    )
    assert (code, out) == (0, f"Stopped 1 cluster of {classroom.learner.name}.\n"), err
    wait_until(lambda: classroom.cluster()["state"] == "stopped")
    model = classroom.cluster()
    by = f"instructor {classroom.instructor.name}"
    reason = f"Stopped by {by}: The exam begins."
    assert {(message["code"], message["text"]) for message in model["messages"]} >= {
        ("stopped", reason),
        ("ended", reason),
    }
    entries = classroom.json(classroom.learner, "activity", SECRET_NAME)["entries"]
    assert [(entry["by"], entry["message"]) for entry in entries if entry["kind"] == "stop"] == [(by, reason)]
    wait_until(lambda: classroom.seen() == [])  # its process ends after it has stopped


def test_kill_leaves_nothing(classroom, wait_until):
    options = ("--backend", "local", "--n-workers", "0", "--memory-limit", "400 MiB", "--name", "killed")
    code, _, err = classroom.ask(classroom.learner, "create", *options)
    assert code == 0, err
    wait_until(classroom.seen)
    os.kill(classroom.json(classroom.learner, "status", "killed")["pid"], signal.SIGKILL)
    wait_until(lambda: classroom.seen() == [])
    code, _, err = classroom.ask(classroom.instructor, "node", "message", "all", "Hello?")
    assert code != 0 and "No other user has a cluster" in err


def _listens(name: str) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(5)
        try:
            connection.connect(f"\0{name}")
        except OSError:
            return False
        time.sleep(0.05)
        return True
