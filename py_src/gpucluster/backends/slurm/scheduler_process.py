"""The scheduler of a cluster, as the program of a job.

It ends when the cluster's process, which is always connected, has been gone for a while: then it cancels all jobs of
the cluster, including those that wait, so that nothing is left in the queue.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from ...dask_internals.listening import web_address
from ...protocol.plain_text import redact, start_log
from ..dashboard import PrivateDashboardScheduler
from ..workers import credentials, scheduler_address
from . import commands
from .commands import end_jobs

logger = logging.getLogger("gpucluster.backends")

ADDRESS_FILE = "scheduler"
PREFIX_FILE = "prefix"
LONELY_SECONDS = 120.0
LOOK_SECONDS = 1.0
END_SECONDS = 20.0


def arguments(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--names", required=True)
    parser.add_argument("--protocol", choices=("tls", "tcp"), default="tls")
    parser.add_argument("--interface")
    parser.add_argument("--lonely-seconds", type=float, default=LONELY_SECONDS)
    parser.add_argument("--tell", choices=("file", "comment"), default="file")
    return parser.parse_args(words)


async def run(given: argparse.Namespace) -> None:
    ending = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ending.set)
    host = scheduler_address(given.interface)
    prefix = (given.folder / PREFIX_FILE).read_text()
    redact(prefix)
    files = [str(given.folder / "tls" / name) for name in ("ca.pem", "cert.pem", "key.pem")]
    scheduler = PrivateDashboardScheduler(
        host=host,
        port=0,
        protocol=f"{given.protocol}://",
        security=credentials(*files) if given.protocol == "tls" else None,
        dashboard_address=f"{host}:0",
        http_prefix=prefix,
    )
    await scheduler
    served = web_address(scheduler)
    assert isinstance(served, tuple)
    await _publish(f"{scheduler.address} {served[1]}", given)
    seen = time.monotonic()
    while not ending.is_set() and scheduler.status.name == "running":
        with suppress(TimeoutError):
            await asyncio.wait_for(ending.wait(), LOOK_SECONDS)
        owners = {getattr(plugin, "own_client", None) for plugin in scheduler.plugins.values()}
        if not owners.isdisjoint(scheduler.clients):  # The cluster's process is connected.
            seen = time.monotonic()
        elif time.monotonic() - seen > given.lonely_seconds:
            logger.error("The cluster's process is gone: cancelling all jobs of the cluster")
            await scheduler.close()
            await end_jobs(given.names, END_SECONDS)
            return
    await scheduler.close()


async def _publish(address: str, given: argparse.Namespace) -> None:
    """Publish the address, which is not secret: in a file or, without shared storage, in the job's comment."""
    if given.tell == "comment":
        await commands.ask("scontrol", "update", f"jobid={os.environ['SLURM_JOB_ID']}", f"comment={address}")
        return
    new = given.folder / f"{ADDRESS_FILE}.new"
    new.write_text(address)
    new.replace(given.folder / ADDRESS_FILE)


if __name__ == "__main__":
    start_log()
    asyncio.run(run(arguments()))
