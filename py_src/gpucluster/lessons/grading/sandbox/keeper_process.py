"""A keeper in its own process, which keeps its rights when its runner gives up its own.

A process restricted by Landlock can neither make a sandbox nor end what runs in one. So the runner, before it restricts
itself, splits a small process off that can do both. It accepts only the requests below, even from a compromised runner.
"""

import json
import os
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ....operating_system.processes import adopt_orphans, end_with_parent
from .keeper import Keeper, Use
from .processes import end_all

_ANSWER_S = 60.0
_LARGEST = 2**16
_MOST_FILES = 2**16


class DistantKeeper:
    """A keeper as its runner sees it. Several threads may ask it; see `Keeper` for what its methods do."""

    def __init__(self, connection: socket.socket, pid: int) -> None:
        self._pid = pid
        self._lock = threading.Lock()
        self._connection = connection
        self._connection.settimeout(_ANSWER_S)

    def start(self, number: int) -> None:
        """Start a kernel."""
        self._ask("start", number)

    def alive(self) -> bool:
        """Whether the kernel still runs."""
        return bool(self._ask("alive"))

    def kill(self) -> None:
        """End the kernel."""
        self._ask("kill")

    def use(self) -> Use:
        """Return what everything uses."""
        return Use(*self._ask("use"))

    def end_all(self, *, at_once: bool = False) -> bool:
        """End everything."""
        return bool(self._ask("end_all", at_once))

    def left(self) -> int:
        """Return what is left in shared memory."""
        return int(self._ask("left"))

    def namespaces(self) -> dict[str, str]:
        """Return the namespaces of the kernel."""
        return dict(self._ask("namespaces"))

    def close(self) -> None:
        """End that process, and all that it has started, and wait for its end."""
        self._connection.close()
        with suppress(ChildProcessError):
            os.waitpid(self._pid, 0)

    def _ask(self, what: str, *about: Any) -> Any:
        with self._lock:
            self._connection.sendall(json.dumps([what, *about]).encode())
            answer = self._connection.recv(_LARGEST)
        if not answer:
            raise OSError("the process that starts kernels has ended")
        value, error = json.loads(answer)
        if error:
            raise OSError(error)
        return value


def split_off(make: Callable[[], Keeper]) -> DistantKeeper:
    """Start a process with a keeper. Call it before there are threads.

    Parameters
    ----------
    make : callable
        Makes the keeper, over there.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if pid := os.fork():
        theirs.close()
        return DistantKeeper(ours, pid)
    try:
        os.closerange(3, theirs.fileno())  # the pipe to the command, too: who holds it keeps that waiting
        os.closerange(theirs.fileno() + 1, _MOST_FILES)
        end_with_parent(signal.SIGKILL)
        adopt_orphans()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _serve(theirs, make())
    finally:
        with suppress(Exception):
            end_all(at_once=True)
        os._exit(0)


def _serve(connection: socket.socket, keeper: Keeper) -> None:
    """Do what the runner asks for, until it has gone."""
    known: dict[str, Callable[..., Any]] = {
        "start": keeper.start,
        "alive": keeper.alive,
        "kill": keeper.kill,
        "use": keeper.use,
        "end_all": lambda at_once: keeper.end_all(at_once=at_once),
        "left": keeper.left,
        "namespaces": keeper.namespaces,
    }
    while asked := connection.recv(_LARGEST):
        try:
            what, *about = json.loads(asked)
            answer = [known[what](*(int(one) for one in about)), ""]
        except Exception as error:
            answer = [None, f"{type(error).__name__}: {error}"[:500]]
        connection.sendall(json.dumps(answer).encode())
