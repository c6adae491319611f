"""Starting the kernel of a submission, and ending it."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

from ..sandbox.folder import Cage

_READY_S = 60.0


def start_kernel(cage: Cage) -> tuple[KernelManager, BlockingKernelClient]:
    """Return a kernel in a cage, and a client that it has answered.

    Raises
    ------
    Exception
        Of the system, of ZeroMQ, or because the kernel says nothing in time. Then nothing is left of it.
    """
    manager = KernelManager(transport="ipc", ip=str(cage.root / "kernel"))
    argv = [sys.executable, "-m", "gpucluster.lessons.grading.kernel", "-f", "{connection_file}"]
    manager._kernel_spec = KernelSpec(argv=argv, display_name="grading", language="python")
    try:
        with tempfile.TemporaryFile() as closed:  # no process of the learner can change it
            closed.write(b"\0".join(os.fsencode(path) for path in cage.closed()))
            closed.seek(0)
            manager.start_kernel(cwd=str(cage.work), env=cage.environment(), stdin=closed.fileno())
        return manager, _client(manager)
    except BaseException:
        end_kernel(manager)
        raise


def end_kernel(manager: KernelManager) -> None:
    """End a kernel, or what there is of it."""
    with suppress(Exception):  # it may be gone already; the warden ends all that is left
        manager.shutdown_kernel(now=True)
    with suppress(Exception):
        manager.cleanup_resources()


def _client(manager: KernelManager) -> BlockingKernelClient:
    client: BlockingKernelClient = manager.client()
    try:
        client.start_channels()
        client.wait_for_ready(timeout=_READY_S)
    except BaseException:
        client.stop_channels()
        raise
    return client
