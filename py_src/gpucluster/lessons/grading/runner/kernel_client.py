"""The kernel of a submission: starting it in its sandbox, reading what it sends, and ending it."""

from __future__ import annotations

import os
import queue
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

from ..sandbox.folder import Sandbox

_READY_S = 60.0
_LARGEST_MESSAGE = 2**20
_POLL_MS = 250

Output = tuple[str, Mapping[str, Any]]
"""Kind and content of a message."""

NOTHING: Output = ("", {})


def start_kernel(sandbox: Sandbox) -> tuple[KernelManager, BlockingKernelClient]:
    """Return a kernel in a sandbox, and a client that it has answered.

    Raises
    ------
    Exception
        Of the system, of ZeroMQ, or because the kernel says nothing in time. Then nothing is left of it.
    """
    manager = KernelManager(transport="ipc", ip=str(sandbox.root / "kernel"))
    argv = [sys.executable, "-m", "gpucluster.lessons.grading.kernel", "-f", "{connection_file}"]
    manager._kernel_spec = KernelSpec(argv=argv, display_name="grading", language="python")
    try:
        with tempfile.TemporaryFile() as unreadable:  # no process of the learner can change it
            unreadable.write(b"\0".join(os.fsencode(path) for path in sandbox.unreadable()))
            unreadable.seek(0)
            manager.start_kernel(cwd=str(sandbox.work), env=sandbox.environment(), stdin=unreadable.fileno())
        return manager, _client(manager)
    except BaseException:
        end_kernel(manager)
        raise


def end_kernel(manager: KernelManager) -> None:
    """End a kernel, or what there is of it."""
    with suppress(Exception):  # it may be gone already; the runner ends all that is left
        manager.shutdown_kernel(now=True)
    with suppress(Exception):
        manager.cleanup_resources()


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


def _client(manager: KernelManager) -> BlockingKernelClient:
    client: BlockingKernelClient = manager.client()
    try:
        # Without the heartbeat, which nobody needs: a kernel that spoils the connection holds its thread for ever.
        client.start_channels(hb=False)
        client.wait_for_ready(timeout=_READY_S)
    except BaseException:
        client.stop_channels()
        raise
    return client
