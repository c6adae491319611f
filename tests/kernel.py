"""A real kernel for tests, started and ended."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from jupyter_client.manager import KernelManager
from jupyter_core.utils import ensure_event_loop


class Kernel:
    """A kernel of this Python with a client."""

    def __init__(self) -> None:
        self.manager = KernelManager()
        self.manager.kernel_spec.argv[0] = sys.executable  # type: ignore[union-attr]
        self.manager.start_kernel()
        self.client: Any = None
        self.connect()

    def connect(self) -> None:
        """Connect the client, to the same kernel or one that was restarted."""
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=90)

    def close(self) -> None:
        """End the kernel in any state."""
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()
        # The synchronous wrappers of jupyter_client make a loop for this thread and leave it open.
        ensure_event_loop().close()
        asyncio.set_event_loop(None)


def shown_text(book: Any) -> str:
    """Return the text output of an executed notebook."""
    outputs = [output for cell in book.cells for output in cell.get("outputs", ())]
    return "\n".join(output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs)
