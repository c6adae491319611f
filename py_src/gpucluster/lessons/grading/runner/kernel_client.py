"""The kernel of a submission, as its runner talks to it: reaching it, and reading what it sends."""

from __future__ import annotations

import queue
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import zmq
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.connect import write_connection_file

from ..sandbox.folder import Sandbox
from ..sandbox.keeper import Keeper, connection_file
from ..sandbox.keeper_process import DistantKeeper

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
        # Without the heartbeat, which nobody needs: a kernel that spoils the connection holds its thread for ever.
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

    It is `NOTHING` for every other message, for one that is too large to look at, and for what is no message at all.

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
                raise RuntimeError("it died before it answered") from None
    raise RuntimeError(f"it did not respond in {_READY_S:g} seconds")
