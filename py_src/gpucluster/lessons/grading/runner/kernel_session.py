"""Running the cells of a notebook in one kernel, and grading answers between them."""

from __future__ import annotations

import queue
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import zmq
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.connect import write_connection_file

from ..grades import ExerciseGrade
from ..job import Limits, Place
from ..remote.channel import Channel
from ..remote.objects import KernelConnection
from ..sandbox.folder import Sandbox
from ..sandbox.keeper import Keeper, connection_file
from ..sandbox.keeper_process import DistantKeeper
from ..sandbox.monitor import ResourceMonitor
from .grader import grade_exercise, grade_with_solutions

# The kernel of a submission, as its runner talks to it: reaching it, and reading what it sends.


_READY_S = 60.0
_ASKED_EVERY_S = 1.0
_LARGEST_MESSAGE = 2**20
_POLL_MS = 250
_SEND_MS = 2_000

Output = tuple[str, Mapping[str, Any]]
"""Kind and content of a message."""

NOTHING: Output = ("", {})


def start_kernel(sandbox: Sandbox, keeper: Keeper | DistantKeeper, number: int) -> BlockingKernelClient:
    """Return a client of a kernel in a sandbox, which it has answered.

    Parameters
    ----------
    sandbox : Sandbox
        Where it runs.
    keeper : Keeper or DistantKeeper
        Who starts it.
    number : int
        How many were started before.

    Raises
    ------
    Exception
        Of the system, of ZeroMQ, or because the kernel says nothing in time. Then nothing is left of it.
    """
    file = connection_file(sandbox, number)
    file.unlink(missing_ok=True)  # a kernel before it may have put something there
    _, about = write_connection_file(str(file), transport="ipc", ip=str(sandbox.root / f"kernel-{number}"))
    client = BlockingKernelClient()
    client.load_connection_info(about)
    try:
        keeper.start(number)
        # Without the heartbeat, which is not needed: a kernel that spoils the connection holds its thread forever.
        client.start_channels(hb=False)
        for channel in (client.shell_channel, client.control_channel):
            # A kernel that spoils the connection as well: else who sends waits for ever.
            channel.socket.setsockopt(zmq.SNDTIMEO, _SEND_MS)
        _until_ready(client, keeper)
    except BaseException:
        client.stop_channels()
        keeper.kill()
        raise
    return client


def interrupt(client: BlockingKernelClient) -> None:
    """Ask the kernel to interrupt what it does; one that cannot be asked is ended when its time is over."""
    with suppress(zmq.ZMQError):
        client.control_channel.send(client.session.msg("interrupt_request"))


def next_output(client: BlockingKernelClient, request: str) -> Output:
    """Return kind and content of the next message that answers a request.

    It is `NOTHING` for every other message, for one that is too large, and for anything that is not a message.

    Parameters
    ----------
    client : jupyter_client.blocking.client.BlockingKernelClient
        Of the kernel.
    request : str
        What ``client.execute`` returned.

    Raises
    ------
    queue.Empty
        When nothing comes for a moment.
    """
    socket = client.iopub_channel.socket
    if not socket.poll(_POLL_MS):
        raise queue.Empty
    parts = socket.recv_multipart()
    if sum(map(len, parts)) > _LARGEST_MESSAGE:
        return NOTHING
    try:
        _, parts = client.session.feed_identities(parts)
        message = client.session.deserialize(parts)
        kind, content = str(message["msg_type"]), message["content"]
        answers = message["parent_header"].get("msg_id") == request
    except Exception:  # the kernel may send anything
        return NOTHING
    return (kind, content) if answers and isinstance(content, dict) else NOTHING


def _until_ready(client: BlockingKernelClient, keeper: Keeper | DistantKeeper) -> None:
    """Wait until the kernel answers, and until what it says to all arrives as well."""
    deadline = time.monotonic() + _READY_S
    while time.monotonic() < deadline:
        client.kernel_info()
        try:
            answer = client.get_shell_msg(timeout=_ASKED_EVERY_S)
            if answer["msg_type"] == "kernel_info_reply":
                client.get_iopub_msg(timeout=_ASKED_EVERY_S / 5)
                return
        except queue.Empty:
            if not keeper.alive():
                raise RuntimeError("it died before it responded") from None
    raise RuntimeError(f"it did not respond in {_READY_S:g} seconds")


# Running the cells of a notebook in one kernel, and grading answers between them.


_GRACE_S = 15.0
TOO_LONG = ("the cell took too long", "a cell did not end")
"""Of a cell that could be interrupted, and of one that could not."""


class KernelEnded(Exception):
    """The kernel does not live any more, or does not come back from a cell."""


@dataclass(frozen=True)
class Outcome:
    """How a cell ended: ``error`` is empty where it did."""

    error: str = ""


class KernelSession:
    """One kernel.

    Parameters
    ----------
    sandbox : Sandbox
        Where it runs.
    limits : Limits
        What it may use.
    monitor : ResourceMonitor
        Says when a limit was passed; its keeper starts the kernel.
    number : int, optional
        How many were started before.

    Raises
    ------
    KernelEnded
        When the kernel does not start; nothing of it is left then.
    """

    def __init__(self, sandbox: Sandbox, limits: Limits, monitor: ResourceMonitor, number: int = 0) -> None:
        self._sandbox, self._limits, self._monitor = sandbox, limits, monitor
        try:
            self._client = start_kernel(sandbox, monitor.keeper, number)
        except Exception as error:
            raise KernelEnded(str(error) or type(error).__name__) from None

    @property
    def alive(self) -> bool:
        """Whether the kernel still runs."""
        return self._monitor.keeper.alive()

    def run(self, code: str) -> Outcome:
        """Run one cell.

        Raises
        ------
        KernelEnded
            When the kernel has died in it, or had to be killed.
        """
        code = code.encode("utf-8", "replace").decode()
        request = self._client.execute(code, store_history=True, allow_stdin=False, stop_on_error=False)
        return self._finish(request, time.monotonic() + self._limits.cell_seconds)

    def grade(self, exercise: str, seed: int, place: Place) -> ExerciseGrade:
        """Grade the answers of an exercise, as the notebook has them now; see `grader.grade_exercise`.

        Raises
        ------
        KernelEnded
            When the kernel has died before it could be asked, or does not let itself be asked.
        """
        with self._connection() as kernel:
            return grade_exercise(kernel, exercise, seed, place)

    def grade_with_solutions(
        self, exercise: str, seed: int, place: Place, solutions: Mapping[str, str]
    ) -> ExerciseGrade | None:
        """Grade them with the lesson's own answers to earlier exercises; see `grader.grade_with_solutions`.

        Raises
        ------
        KernelEnded
            As `grade` does.
        """
        with self._connection() as kernel:
            return grade_with_solutions(kernel, exercise, seed, place, solutions)

    def close(self) -> None:
        """End the kernel."""
        self._client.stop_channels()
        with suppress(OSError):  # a keeper that has gone has taken it with it
            self._monitor.keeper.kill()

    @contextmanager
    def _connection(self) -> Iterator[KernelConnection]:
        """Let the kernel answer questions about the notebook's objects for a while."""
        path = self._sandbox.socket
        path.unlink(missing_ok=True)
        deadline = time.monotonic() + self._limits.cell_seconds
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
            listening.listen(1)
            request = self._client.execute(_serving(str(path)), store_history=False, allow_stdin=False)
            try:
                kernel = KernelConnection(
                    Channel(self._accept(listening, deadline), deadline), lambda: self._monitor.reason
                )
                yield kernel
                kernel.end()
            finally:
                with suppress(KernelEnded):
                    # Where the time is over, it is the answer that does not come back: it is interrupted at once.
                    now = time.monotonic()
                    self._finish(request, now + _GRACE_S if now < deadline else now)

    def _accept(self, listening: socket.socket, deadline: float) -> socket.socket:
        listening.settimeout(0.25)
        while time.monotonic() < deadline:
            with suppress(TimeoutError):
                return listening.accept()[0]
            self._raise_if_ended()
        raise KernelEnded("the kernel does not respond")

    def _finish(self, request: str, deadline: float) -> Outcome:
        """Wait for the end of a cell; one that is late is interrupted, and one that does not stop is killed."""
        error = ""
        interrupted = False
        while True:
            self._raise_if_ended()
            kind, content = NOTHING
            with suppress(queue.Empty):
                kind, content = next_output(self._client, request)
            # Also where there is a message: it may be a cell that prints without end.
            if time.monotonic() > deadline:
                if interrupted:
                    self._monitor.keeper.kill()
                    raise KernelEnded(TOO_LONG[1])
                interrupt(self._client)
                interrupted, deadline = True, time.monotonic() + _GRACE_S
            if kind == "error":
                error = f"{content.get('ename')}: {content.get('evalue')}"
            elif kind == "status" and content.get("execution_state") == "idle":
                return Outcome(TOO_LONG[0] if interrupted else error[:500])

    def _raise_if_ended(self) -> None:
        if self._monitor.exceeded is not None:
            raise KernelEnded(self._monitor.reason)
        if not self.alive:
            raise KernelEnded("the kernel has died")


def _serving(path: str) -> str:
    """Code for the kernel, which answers the grader there."""
    return (
        "def _serve():\n"
        "    from gpucluster.lessons.grading.kernel.server import serve\n"
        f"    serve({path!r}, get_ipython().user_ns)\n"
        "_serve()\n"
        "del _serve\n"
    )
