"""The command line in a separate terminal."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Sequence
from typing import Self

OPEN, CLOSE, TOP = "\x1b[?1049h", "\x1b[?1049l", "\x1b[H"


class Terminal:
    """Runs a command in a pseudo-terminal and collects what it writes.

    Parameters
    ----------
    command : sequence of str
        What to run.
    lines, columns : int
        Size of the window.
    """

    def __init__(self, command: Sequence[str], lines: int = 24, columns: int = 100) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color"}
        for name in ("LINES", "COLUMNS"):
            environment.pop(name, None)
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env=environment,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that shells control jobs
        )
        os.close(slave)
        self.text = ""
        self._unread = b""

    def read_until(self, done: Callable[[str], object], seconds: float = 60) -> str:
        deadline = time.monotonic() + seconds
        while not done(self.text):
            assert self._read(deadline - time.monotonic()), (
                f"the command has ended or says no more: {self.text[-2000:]!r}"
            )
        return self.text

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def press_ctrl_c(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def end(self, seconds: float = 60) -> int:
        """Return its exit code once it has ended."""
        deadline = time.monotonic() + seconds
        while self._read(deadline - time.monotonic()):
            pass
        return self.process.wait(max(0.1, deadline - time.monotonic()))

    @property
    def pages(self) -> list[str]:
        return self.text.split(CLOSE)[0].split(TOP)[1:]

    @property
    def left(self) -> list[str]:
        """The lines left in the terminal after its end."""
        return self.text.split(CLOSE)[1].replace("\r", "").splitlines()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._master)

    def _read(self, seconds: float) -> bool:
        if not select.select([self._master], [], [], max(0.0, seconds))[0]:
            return False
        try:
            piece = os.read(self._master, 65536)
        except OSError:  # Linux says EIO when the other end is closed.
            return False
        self._unread += piece
        whole = self._unread.decode(errors="ignore") if piece else ""
        if whole.encode() == self._unread:
            self.text += whole
            self._unread = b""
        return bool(piece)
