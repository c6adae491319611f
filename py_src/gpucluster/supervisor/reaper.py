"""``python -P -m gpucluster.supervisor.reaper --folder PATH``: end what a dead supervisor has started elsewhere.

Started in the cluster's Python by any process that finds the supervisor gone (``registry.started_elsewhere``).
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from ..backends.backend import Backend, ReapContext, load_backend
from ..backends.deployment import cause_of
from ..protocol.errors import OperationTimedOut, StartFailed
from ..protocol.plain_text import start_log
from ..protocol.telemetry import ActivityEntry
from ..registry import lock, logs
from ..registry.record import Folder, now
from ..registry.started_elsewhere import read_remembered

logger = logging.getLogger("gpucluster.supervisor")

REAP_SECONDS = 300.0


async def reap(folder: Folder, backend: Backend[Any] | None = None, *, timeout: float = REAP_SECONDS) -> str | None:
    """End what was remembered, and forget it; returns a text on what may be left, ``None`` if nothing is.

    `backend`: the one that started it; default: the one of that name. `timeout`: seconds.
    """
    remembered = read_remembered(folder)
    if remembered is None:
        if not os.path.lexists(folder.remembered):
            return None
        failure = (
            f"Processes started elsewhere may still be running: {folder.remembered} cannot be read. "
            "Check, then delete it."
        )
        _note(folder, "failure", failure)
        return failure

    def report(message: str) -> None:
        logger.info("%s", message)
        _note(folder, "state", message)

    try:
        if backend is None:
            found = load_backend(remembered.backend)
            if not isinstance(found, Backend):
                raise StartFailed(f"The kind '{found.name}' starts no processes.")
            backend = found
        await _in_time(backend.reap(remembered.state, ReapContext(folder.id, report, timeout)), timeout)
        folder.remembered.unlink(missing_ok=True)
    except Exception as error:
        logger.error("Processes started elsewhere could not be stopped", exc_info=error)
        left = backend.left_behind(remembered.state) if backend is not None else None
        failure = f"Processes started elsewhere may still be running ({cause_of(error)}). Retrying."
        failure = f"{failure} {left}" if left else failure
        _note(folder, "failure", failure)
        return failure
    return None


async def _in_time(work: Coroutine[Any, Any, None], seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds) as limit:
            await work
    except TimeoutError as error:
        if limit.expired():
            raise OperationTimedOut(f"that took longer than {seconds:.0f} seconds") from error
        raise


def _note(folder: Folder, kind: str, message: str) -> None:
    try:
        entries = logs.read_activity(folder.activity)
        if not entries or entries[-1].message != message:
            logs.append_activity(folder.activity, ActivityEntry(at=now(), kind=kind, message=message))
    except OSError as error:
        logger.warning("The activity log could not be written (%s): %s", error.strerror, message)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m gpucluster.supervisor.reaper")
    parser.add_argument("--folder", type=Path, required=True)
    folder = Folder(parser.parse_args().folder)
    start_log()
    held = lock.take(folder.reaping)
    if held is None or lock.is_held(folder.lock):
        return  # Another process does it, or there is a supervisor.
    try:
        left = asyncio.run(reap(folder))
    finally:
        os.close(held)
    if left is None:
        folder.reaping.unlink(missing_ok=True)
    sys.exit(0 if left is None else 1)


if __name__ == "__main__":
    main()
