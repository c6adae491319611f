"""Users that exist as user ids only; nothing on the system is changed for them."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import psutil

from .machine import Machine

FIRST = 52_001
"""High, and below the numbers that containers map."""


class Account:
    """One user, with a home that ``close`` removes.

    Parameters
    ----------
    machine : Machine
        What all share.
    number : int
        Counted from 0.
    """

    def __init__(self, machine: Machine, number: int) -> None:
        self.machine = machine
        self.uid = FIRST + number
        self.name = f"learner-{number + 1:02}"
        with suppress(KeyError):
            raise RuntimeError(f"The number {self.uid} belongs to {pwd.getpwuid(self.uid).pw_name} on this machine.")
        if self.processes():
            raise RuntimeError(f"Processes of the number {self.uid} run already; is another benchmark at work?")
        self.home = machine.folder / f"u{number + 1:02}"
        self.home.mkdir(mode=0o700)
        os.chown(self.home, self.uid, self.uid)
        self.environment = {
            **machine.environment(),
            "HOME": str(self.home),
            "USER": self.name,
            "LOGNAME": self.name,
            "GPUCLUSTER_DIR": str(self.home / "gc"),
        }

    def start(self, *words: str, log: str, **variables: str) -> subprocess.Popen[bytes]:
        """Start Python with these arguments as this user; its output goes into a file in the home folder."""
        uid = f"{self.uid}"
        become = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--no-new-privs"]
        with (self.home / log).open("ab") as file:
            return subprocess.Popen(
                [*become, str(self.machine.python), *words],
                env={**self.environment, **variables},
                cwd=self.home,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )

    def give_folder(self, name: str) -> None:
        """Make a folder of this user in the home."""
        (self.home / name).mkdir(exist_ok=True)
        os.chown(self.home / name, self.uid, self.uid)

    def run(self, *words: str, patience: float = 240, **variables: str) -> str:
        """Run Python and return what it prints."""
        log = f"out-{time.monotonic_ns()}"
        process = self.start(*words, log=log, **variables)
        try:
            code = process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        text = (self.home / log).read_text()
        if code:
            raise RuntimeError(f"{words} of {self.name} failed:\n{text[-3000:]}")
        return text

    def processes(self) -> list[psutil.Process]:
        """Return this user's processes."""
        return [each for each in psutil.process_iter(["uids"]) if (ids := each.info["uids"]) and ids.real == self.uid]

    def cpu_seconds(self) -> float:
        """Return the CPU time of this user's processes and of those that they have seen end."""
        total = 0.0
        for process in self.processes():
            with suppress(psutil.Error):
                total += sum(process.cpu_times()[:4])
        return total

    def left(self) -> list[str]:
        """Return what is left of this user outside of the home: processes, files that all share, shared memory."""
        running = [f"process {each.pid}: {' '.join(_words(each))[:120]}" for each in self.processes()]
        return [*running, *map(str, self._files())]

    def _files(self) -> list[Path]:
        """Return this user's files in folders that all share."""
        found = []
        for place in ("/tmp", "/dev/shm", "/var/tmp"):
            with os.scandir(place) as entries:
                for entry in entries:
                    with suppress(OSError):
                        if entry.stat(follow_symlinks=False).st_uid == self.uid:
                            found.append(Path(entry.path))
        return found

    def close(self) -> None:
        """End what runs and remove the home."""
        for _ in range(300):  # A machine that is busy takes its time to end what was killed.
            for process in self.processes():
                with suppress(psutil.Error):
                    process.send_signal(signal.SIGKILL)
            if not self.processes():
                break
            time.sleep(0.1)
        for path in self._files():
            with suppress(OSError):
                path.unlink()
        shutil.rmtree(self.home, ignore_errors=True)


def _words(process: psutil.Process) -> list[str]:
    with suppress(psutil.Error):
        return process.cmdline()
    return []
