"""Running the cells of one notebook, with the referee between them."""

from __future__ import annotations

import queue
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..grades import ExerciseGrade, Limits, Place
from ..remote.channel import Channel
from ..remote.objects import Kernel
from ..sandbox.folder import Cage
from ..sandbox.monitor import Watch
from .grader import judge
from .kernel_client import end_kernel, start_kernel

_GRACE_S = 15.0
_LARGEST_MESSAGE = 2**20


class KernelEnded(Exception):
    """The kernel does not live any more, or does not come back from a cell."""


@dataclass(frozen=True)
class Outcome:
    """How a cell ended: ``error`` is empty where it did."""

    error: str = ""


class Session:
    """One kernel.

    Parameters
    ----------
    cage : Cage
        Where it runs.
    limits : Limits
        What it may use.
    watch : Watch
        Says when a limit was passed.

    Raises
    ------
    KernelEnded
        When the kernel does not start; nothing of it is left then.
    """

    def __init__(self, cage: Cage, limits: Limits, watch: Watch) -> None:
        self.cage, self.limits, self.watch = cage, limits, watch
        try:
            self.manager, self.client = start_kernel(cage)
        except Exception as error:
            raise KernelEnded(str(error) or type(error).__name__) from None

    @property
    def alive(self) -> bool:
        """Whether the kernel still runs."""
        return bool(self.manager.is_alive())

    def run(self, code: str) -> Outcome:
        """Run one cell.

        Raises
        ------
        KernelEnded
            When the kernel has died in it, or had to be killed.
        """
        code = code.encode("utf-8", "replace").decode()
        request = self.client.execute(code, store_history=True, allow_stdin=False, stop_on_error=False)
        return self._finish(request, time.monotonic() + self.limits.cell_seconds)

    def judge(
        self, exercise: str, seed: int, place: Place, solutions: Mapping[str, str] | None = None
    ) -> ExerciseGrade | None:
        """Let the referee look at the answers of an exercise, as the notebook has them now; see `referee.judge`."""
        self.cage.socket.unlink(missing_ok=True)
        deadline = time.monotonic() + self.limits.cell_seconds
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(self.cage.socket))
            listening.listen(1)
            request = self.client.execute(_serving(self.cage.socket), store_history=False, allow_stdin=False)
            try:
                connection = self._accept(listening, deadline)
                kernel = Kernel(Channel(connection, deadline))
                grade = judge(kernel, exercise, seed, place, solutions)
                kernel.end()
            finally:
                with suppress(KernelEnded):
                    self._finish(request, time.monotonic() + _GRACE_S)
        return grade

    def close(self) -> None:
        """End the kernel."""
        self.client.stop_channels()
        end_kernel(self.manager)

    def _accept(self, listening: socket.socket, deadline: float) -> socket.socket:
        listening.settimeout(0.25)
        while time.monotonic() < deadline:
            with suppress(TimeoutError):
                return listening.accept()[0]
            self._alive()
        raise KernelEnded("the kernel does not answer")

    def _finish(self, request: str, deadline: float) -> Outcome:
        error = ""
        interrupted = False
        while True:
            self._alive()
            try:
                message = self._next()
            except queue.Empty:
                if time.monotonic() < deadline:
                    continue
                if interrupted:
                    self.manager.shutdown_kernel(now=True)
                    raise KernelEnded("a cell did not end") from None
                self.manager.interrupt_kernel()
                interrupted, deadline = True, time.monotonic() + _GRACE_S
                continue
            if time.monotonic() > deadline and not interrupted:  # it prints without end
                self.manager.interrupt_kernel()
                interrupted, deadline = True, time.monotonic() + _GRACE_S
            elif time.monotonic() > deadline:
                self.manager.shutdown_kernel(now=True)
                raise KernelEnded("a cell did not end")
            kind, content = _read(message, request)
            if kind == "error":
                error = f"{content.get('ename')}: {content.get('evalue')}"
            if kind == "status" and content.get("execution_state") == "idle":
                return Outcome("the cell took too long" if interrupted else error[:500])

    def _next(self) -> Any:
        """Return the next message, or None in place of one that is no message, or is too large to look at.

        Raises
        ------
        queue.Empty
            When nothing comes for a moment.
        """
        socket = self.client.iopub_channel.socket
        if not socket.poll(250):
            raise queue.Empty
        parts = socket.recv_multipart()
        if sum(map(len, parts)) > _LARGEST_MESSAGE:
            return None
        try:
            _, parts = self.client.session.feed_identities(parts)
            return self.client.session.deserialize(parts)
        except Exception:  # the kernel may send anything
            return None

    def _alive(self) -> None:
        if self.watch.exceeded is not None:
            raise KernelEnded(f"it used too much: {self.watch.exceeded}")
        if not self.alive:
            raise KernelEnded("the kernel has died")


def _read(message: Any, request: str) -> tuple[str, dict[str, Any]]:
    """Return kind and content of an answer to this request; of everything else, nothing."""
    try:
        kind, content, parent = message["msg_type"], message["content"], message["parent_header"]
        known = isinstance(content, dict) and parent.get("msg_id") == request
    except (AttributeError, KeyError, TypeError):
        return "", {}
    return (str(kind), content) if known else ("", {})


def _serving(path: Path) -> str:
    return (
        "def _serve():\n"
        "    from gpucluster.lessons.grading.kernel.server import serve\n"
        f"    serve({str(path)!r}, get_ipython().user_ns)\n"
        "_serve()\n"
        "del _serve\n"
    )
