"""``python -m gpucluster.backends.mpi.rank``: one rank of a cluster, as an MPI launcher starts it.

This process does not use MPI: it forks the one that does, and monitors it. It prefixes its output with the number of
its rank; when it ends, everything below it is ended; and the rank ends when the cluster does. The launcher's standard
input brings one line, which is secret, and is closed at the end of the cluster. Launchers of MPI pass it to the first
rank only, and end the others when that one ends; Slurm's passes it to all.
"""

import json
import os
import selectors
import shutil
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import Any

from ...operating_system.processes import adopt_orphans, end_with_parent

NUMBERS = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "PMIX_RANK")
"""Variables in which launchers number their processes."""
EVENT = "gpucluster-rank "  # After the rank's prefix, marks a line for the supervisor and not for the log.
LONGEST_LINE = 65536
KILL_SECONDS = 5.0
STOPPED_SECONDS = 12.0  # A rank that is stopped longer (SIGSTOP) counts as lost, because others wait for it.


def rank_number() -> int | None:
    """Return the number that the launcher gave this process; ``None``: none."""
    for name in NUMBERS:
        with suppress(KeyError, ValueError):
            return int(os.environ[name])
    return None


class Rank:
    """The process above one rank, its child. Descriptors: the child's standard input, output, and messages."""

    def __init__(self, child: int, to_child: int, output: int, control: int) -> None:
        self._child = child
        self._to_child: int | None = to_child
        self._output, self._control = output, control
        self._number = rank_number()
        self._scratch: str | None = None
        self._stopped_since: float | None = None
        self._secret = b""
        self._unwritten = b""
        self._line = b""
        self._message = b""
        self._selector = selectors.DefaultSelector()

    def watch(self) -> int:
        """Monitor the child until it or the cluster ends; return the exit status for this process."""
        woken, wakes = socket.socketpair()
        woken.setblocking(False)
        wakes.setblocking(False)
        signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
        ended: list[int] = []
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda number, _: ended.append(128 + number))
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for descriptor in (0, self._output, self._control, woken.fileno()):
            try:
                self._selector.register(descriptor, selectors.EVENT_READ)
            except (OSError, ValueError):  # A launcher may give no input, or that of /dev/null.
                self._close_input()
        self._say(EVENT + json.dumps({"watcher": os.getpid(), "host": socket.gethostname()}))
        status = self._status()
        while status is None and not ended:
            for key, _ in self._selector.select(None if self._stopped_since is None else 1.0):
                if key.fd == woken.fileno():
                    with suppress(BlockingIOError):
                        woken.recv(4096)
                elif key.fd == 0:
                    if self._read_input():
                        ended.append(1)
                elif key.fd == self._to_child:
                    self._write_input()
                else:
                    self._read(key.fd)
            status = self._status()
            self._end_if_stopped()
        if status is not None:
            self._drain()
            self._say(EVENT + json.dumps({"status": status}))
        self._end_all()
        if ended:
            return ended[0]
        assert status is not None
        return 128 - status if status < 0 else status

    def _status(self) -> int | None:
        """Return the child's exit status, ``None`` while it runs; note when it is stopped, and when it continues."""
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(self._child, os.WNOHANG | os.WUNTRACED | os.WCONTINUED)
                if not pid:
                    return None
                if os.WIFSTOPPED(status):
                    self._stopped_since = time.monotonic()
                elif os.WIFCONTINUED(status):
                    self._stopped_since = None
                else:
                    return os.waitstatus_to_exitcode(status)
        return 1

    def _end_if_stopped(self) -> None:
        if self._stopped_since is not None and time.monotonic() - self._stopped_since > STOPPED_SECONDS:
            self._stopped_since = None
            self._say(EVENT + json.dumps({"stopped": STOPPED_SECONDS}))
            with suppress(ProcessLookupError):
                os.kill(self._child, signal.SIGKILL)

    # -- what comes in ---------------------------------------------------------------------------

    def _read_input(self) -> bool:
        """Read the launcher's input; return whether the cluster is over."""
        try:
            part = os.read(0, 65536)
        except OSError:
            part = b""
        if not part:
            self._selector.unregister(0)
            if self._secret:
                return True
            # Not for this rank.
            self._close_input()
            return False
        if self._to_child is not None and not self._secret.endswith(b"\n"):
            self._secret += part
            if part.endswith(b"\n"):
                self._unwritten = self._secret
                os.set_blocking(self._to_child, False)
                self._selector.register(self._to_child, selectors.EVENT_WRITE)
        return False

    def _write_input(self) -> None:
        assert self._to_child is not None
        try:
            self._unwritten = self._unwritten[os.write(self._to_child, self._unwritten) :]
        except BlockingIOError:
            return
        except OSError:
            self._unwritten = b""
        if not self._unwritten:
            self._selector.unregister(self._to_child)
            self._close_input()

    def _close_input(self) -> None:
        if self._to_child is not None:
            os.close(self._to_child)
            self._to_child = None

    def _read(self, descriptor: int) -> None:
        part = os.read(descriptor, 65536)
        if not part:
            self._selector.unregister(descriptor)
        elif descriptor == self._control:
            *lines, self._message = (self._message + part).split(b"\n")
            for line in lines:
                message: dict[str, Any] = json.loads(line)
                self._number = message.get("rank", self._number)
                self._scratch = message.get("scratch", self._scratch)
        else:
            *lines, self._line = (self._line + part).split(b"\n")
            if len(self._line) > LONGEST_LINE:
                lines, self._line = [*lines, self._line], b""
            for line in lines:
                self._say(line.decode(errors="replace").rstrip())

    def _drain(self) -> None:
        """Read the rest of the child's output, although its subprocesses may hold the pipe open."""
        for descriptor in (self._control, self._output):
            os.set_blocking(descriptor, False)
            with suppress(BlockingIOError, KeyError, ValueError):
                while descriptor in self._selector.get_map():
                    self._read(descriptor)
        if self._line:
            self._say(self._line.decode(errors="replace").rstrip())
            self._line = b""

    # -- what goes out ---------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        name = "?" if self._number is None else self._number
        with suppress(OSError):
            os.write(1, f"rank {name}: {text}\n".encode())

    # -- the end ---------------------------------------------------------------------------------

    def _end_all(self) -> None:
        """Kill everything below this process, including new orphans; delete its scratch folder."""
        import psutil

        deadline = time.monotonic() + KILL_SECONDS
        while time.monotonic() < deadline:
            below = [child for child in psutil.Process().children(recursive=True) if child.status() != "zombie"]
            for process in below:
                with suppress(psutil.Error):
                    process.kill()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            if not below:
                break
            time.sleep(0.01)
        self._drain()  # After a signal, the name of its folder may not have been read yet.
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)


def main() -> None:
    adopt_orphans()
    child_reads, to_child = os.pipe()
    output, child_prints = os.pipe()
    control, child_tells = os.pipe()
    here = os.getpid()
    child = os.fork()
    if child == 0:
        end_with_parent(signal.SIGKILL)
        if os.getppid() != here:
            os._exit(1)
        for wanted, descriptor in ((0, child_reads), (1, child_prints), (2, child_prints)):
            os.dup2(descriptor, wanted)
        for descriptor in (child_reads, to_child, output, child_prints, control):
            os.close(descriptor)
        from .worker import work

        work(child_tells, rank_number() or 0)
    for descriptor in (child_reads, child_prints, child_tells):
        os.close(descriptor)
    sys.exit(Rank(child, to_child, output, control).watch())


if __name__ == "__main__":
    main()
