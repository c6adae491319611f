"""What a notebook may try against what is not its own, one function each, and what is laid out for that."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

ROWS = {
    "reads": "reads a file of the account",
    "lists": "lists a folder of the account",
    "others": "reads other learners' submissions",
    "solutions": "reads the solutions",
    "writes": "writes to a file of the account",
    "makes": "creates a file in a folder of the account",
    "removes": "removes a file of the account",
    "empties": "truncates a file that it may only read",
    "modes": "changes the mode of a file",
    "times": "changes the times of a file",
    "kills": "kills a process of the account",
    "seen": "sees processes of the account",
    "limits": "changes limits of a process (prlimit)",
    "priority": "changes the priority of a process",
    "environ": "reads the environment of a process",
    "runner": "kills the process that grades it",
    "connects": "connects to an address",
    "listens": "can be reached from outside",
    "path": "connects to a socket with a path",
    "abstract": "connects to a socket without a path",
    "shm": "changes a file in shared memory",
    "variables": "sees an environment variable of the command",
    "namespace": "creates a user namespace",
    "mounts": "mounts something",
    "memfd": "uses memory that no process shows",
    "rings": "uses io_uring",
    "keys": "uses the keys of the account",
    "raw": "opens a raw or packet socket",
    "hostname": "changes the host name",
    "clock": "sets the clock",
    "rights": "keeps special rights of the superuser",
}
"""The attempts in the table of docs/grading.md, where `; ` separates them."""

TRIES = r"""
import ctypes, json, os, resource, signal, socket, subprocess
GIVEN = json.loads({given!r})
libc = ctypes.CDLL(None, use_errno=True)
worked = []

def call(number, *arguments):
    plain = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    got = libc.syscall(ctypes.c_long(number), *plain)
    if got < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return got

def attempt(name, step):
    try:
        found = step()
    except (OSError, ValueError):
        return
    if found is not False:
        worked.append(name)

def connect(family, address):
    with socket.socket(family) as client:
        client.settimeout(3)
        client.connect(address)
        return client.recv(1) == b"x"

def reached():
    with socket.create_server(("127.0.0.1", GIVEN["ours"])) as server:
        server.settimeout(3)
        server.accept()

def in_child(step):
    # What cannot be undone is tried in a separate process.
    if (child := os.fork()) == 0:
        try:
            os._exit(1 if step() is False else 0)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0

def by_effect(path, read, step):
    before = read(os.stat(path))
    step()
    return read(os.stat(path)) != before

place, victim = GIVEN["place"], GIVEN["victim"]
attempt("reads", lambda: open(place + "/secret").read())
attempt("lists", lambda: os.listdir(place))
attempt("others", lambda: open(GIVEN["other"]).read())
attempt("solutions", lambda: open(GIVEN["solution"]).read())
attempt("writes", lambda: open(place + "/written", "a").write("x"))
attempt("makes", lambda: open(place + "/made", "w").close())
attempt("removes", lambda: os.remove(place + "/removed"))
attempt("empties", lambda: os.close(os.open(place + "/emptied", os.O_RDONLY | os.O_TRUNC)))
path = place + "/written"
attempt("modes", lambda: by_effect(path, lambda about: about.st_mode, lambda: os.chmod(path, 0o640)))
attempt("times", lambda: by_effect(path, lambda about: about.st_atime, lambda: os.utime(path, (1, 1))))
attempt("seen", lambda: open(f"/proc/{victim}/cmdline").read().find("a victim") > 0)
attempt("limits", lambda: resource.prlimit(victim, resource.RLIMIT_NOFILE, (50, 50)))
attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, victim, 19))
attempt("environ", lambda: "UNTOLD" in open(f"/proc/{victim}/environ").read())
attempt("kills", lambda: os.kill(victim, signal.SIGTERM))
attempt("connects", lambda: connect(socket.AF_INET, ("127.0.0.1", GIVEN["port"])))
attempt("listens", reached)
attempt("path", lambda: connect(socket.AF_UNIX, place + "/socket"))
attempt("abstract", lambda: connect(socket.AF_UNIX, "\0" + GIVEN["abstract"]))
attempt("shm", lambda: open(GIVEN["shm"], "r+").write("x"))
attempt("variables", lambda: "UNTOLD" in os.environ)
attempt("namespace", lambda: in_child(lambda: call(272, 0x10000000)))
attempt("mounts", lambda: in_child(lambda: call(165, b"none", b"/mnt", b"tmpfs", 0, 0)))
attempt("memfd", lambda: os.close(os.memfd_create("x")))
attempt("rings", lambda: os.close(call(425, 4, ctypes.create_string_buffer(120))))
attempt("keys", lambda: call(250, 0, -3, 1))
attempt("raw", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close())
attempt("hostname", lambda: in_child(lambda: call(170, b"grading", 7)))
attempt("clock", lambda: call(227, 0, ctypes.create_string_buffer(b"\xff" * 16)))
with open("/proc/self/status") as file:
    rights = [line.split()[1] for line in file if line.startswith("CapEff")]
attempt("rights", lambda: int(rights[0], 16) != 0)
attempt("runner", lambda: os.getppid() > 1 and os.kill(os.getppid(), 0))
numbers = sorted(GIVEN["rows"].index(name) for name in worked)
raise AssertionError("worked: " + " ".join(map(str, numbers)) + ".")
"""
_VICTIM = """
import time
from gpucluster.operating_system.processes import drop_capabilities
drop_capabilities()  # what it has decides who may look into it
print("ready", flush=True)
time.sleep(600)  # a victim
"""


@contextmanager
def laid_out(folder: Path, **more: Any) -> Iterator[dict[str, Any]]:
    """Create the targets of the escape attempts, and yield the attempts' parameters."""
    place = folder / "outside"
    place.mkdir()
    for name in ("secret", "written", "removed", "emptied"):
        (place / name).write_text("mine", encoding="utf-8")
    shared = Path(f"/dev/shm/gpucluster-escape-{os.getpid()}")
    shared.write_text("mine", encoding="utf-8")
    abstract = f"gpucluster-escape-{os.getpid()}"
    with ExitStack() as stack:
        stack.callback(shared.unlink)
        victim = stack.enter_context(
            subprocess.Popen([sys.executable, "-c", _VICTIM], env={**os.environ, "UNTOLD": "yes"})
        )
        stack.callback(victim.kill)
        servers = [stack.enter_context(socket.create_server(("127.0.0.1", 0)))]
        for address in (str(place / "socket"), f"\0{abstract}"):
            servers.append(stack.enter_context(socket.socket(socket.AF_UNIX)))
            servers[-1].bind(address)
            servers[-1].listen()
        greeters = [threading.Thread(target=_greet, args=[server]) for server in servers]
        for server, greeter in zip(servers, greeters, strict=True):
            greeter.start()
            stack.callback(greeter.join)
            stack.callback(server.shutdown, socket.SHUT_RDWR)
        with socket.create_server(("127.0.0.1", 0)) as free:
            ours = free.getsockname()[1]
        done = threading.Event()
        knocking = threading.Thread(target=_knock, args=[ours, done])
        knocking.start()
        stack.callback(knocking.join)
        stack.callback(done.set)
        yield {
            "place": str(place), "victim": victim.pid, "port": servers[0].getsockname()[1],
            "ours": ours, "abstract": abstract, "shm": str(shared), "rows": list(ROWS), **more,
        }  # fmt: skip


def notebook(given: dict[str, Any]) -> bytes:
    """Return a notebook that tries everything and says which of it worked, by numbers."""
    source = TRIES.replace("{given!r}", repr(json.dumps(given)))
    cell = {
        "cell_type": "code", "id": "tries", "metadata": {}, "source": source, "outputs": [],
        "execution_count": None,
    }  # fmt: skip
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def worked(notes: list[str]) -> set[str]:
    """Return what worked, as a notebook's notes say."""
    [said] = [note for note in notes if "worked:" in note]
    names = list(ROWS)
    return {names[int(number)] for number in said.partition("worked:")[2].rstrip(".").split()}


def _greet(server: socket.socket) -> None:
    with suppress(OSError):
        while True:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"x")


def _knock(port: int, done: threading.Event) -> None:
    while not done.wait(0.1):
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
