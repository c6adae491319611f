"""Coroutines in a notebook, whose own event loop is busy with the cell."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any


def run_coroutine(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine to its end, in a thread with an event loop of its own, and return its result.

    In a program of its own, ``asyncio.run`` does the same.
    """
    found: dict[str, Any] = {}

    def work() -> None:
        try:
            found["result"] = asyncio.run(coroutine)
        except BaseException as error:
            found["error"] = error

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join()
    if "error" in found:
        raise found["error"]
    return found["result"]
