"""``python -P -m gpucluster.operating_system.contained SECONDS COMMAND …``: a program that leaves nothing behind.

It runs the command as its child, and ends like it once everything that the command has started has been killed,
including processes that made their own session, lost their parent, or dropped their environment. On SIGTERM, and when
the process that started it is gone, the command gets SIGTERM and that many seconds to end. On systems other than Linux,
orphans outside of the command's process group are not found.
"""

import os
import resource
import signal
import sys
import time
from contextlib import suppress
from typing import Any, NoReturn

import psutil

from .processes import adopt_orphans, end_with_parent

KILL_SECONDS = 5.0
NOT_STARTED = 127
_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def contained(*command: str, seconds: float = 0.0) -> list[str]:
    """Return the command line that runs another one and leaves nothing of it. `seconds`: time to end on request."""
    return [sys.executable, "-P", "-m", __name__, str(seconds), *command]


def run(seconds: float, command: list[str]) -> NoReturn:
    """Run a command until it or this process ends; then kill what it has left running."""
    adopt_orphans()
    parent, here, child = os.getppid(), os.getpid(), 0

    def end(*_: Any) -> None:
        for number in _ENDING:
            signal.signal(number, signal.SIG_IGN)
        signal.signal(signal.SIGALRM, lambda *_: _kill_all(child))
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGTERM)

    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    child = os.fork()
    if child == 0:
        _become(command, here)
    for number in _ENDING:
        signal.signal(number, end)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # So that readers of the command's output wait for the command only.
        os.dup2(null, descriptor)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    end_with_parent(signal.SIGTERM)
    if os.getppid() != parent:
        end()
    # It stays a zombie until the end, so its pid is not reused.
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
    _kill_all(child)
    _, status = os.waitpid(child, 0)
    _end_as(os.waitstatus_to_exitcode(status))


def _become(command: list[str], parent: int) -> NoReturn:
    """Become the command, in its own session, away from the terminal's input."""
    try:
        os.setsid()
        end_with_parent(signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(NOT_STARTED)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them.
            signal.signal(number, signal.SIG_DFL)
        os.execvp(command[0], command)  # noqa: S606  # that is the point
    except OSError as error:
        os.write(2, f"{error.strerror}\n".encode())
    os._exit(NOT_STARTED)


def _kill_all(command: int) -> None:
    """Kill everything below this process, including orphans that it adopts meanwhile; reap all but the command."""
    deadline = time.monotonic() + KILL_SECONDS
    empty = 0
    while time.monotonic() < deadline:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(command, signal.SIGKILL)
        lives = False
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error, ChildProcessError):
                if process.status() != psutil.STATUS_ZOMBIE:
                    lives = True
                    process.kill()
                elif process.pid != command:
                    os.waitpid(process.pid, os.WNOHANG)
        # Twice: while a process in between ends, those below it are not found.
        empty = 0 if lives else empty + 1
        if empty == 2:
            return
        time.sleep(0.01)


def _end_as(status: int) -> NoReturn:
    """End with the status of the command, or by the same signal."""
    if status < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError, ValueError):
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    run(float(sys.argv[1]), sys.argv[2:])
