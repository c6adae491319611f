"""What a start costs: warm through REST and from a notebook, cold from a shell, compared with a plain ``LocalCluster``.

``python -m benchmarks.starting [--repeats 9] [--only warm cold standby]``. The peer is made in this process, which has
made one before: its workers are new processes, its scheduler has all that it imports.
"""

from __future__ import annotations

import argparse
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from .jupyter import Ours, jupyterlab, until
from .recording import record
from .turns import by_turns, seconds, summary

PARTS = ("warm", "cold", "standby")
REST, PYTHON, SHELL, PEER = "through REST", "gpucluster.create", "gpucluster create, from a shell", "LocalCluster"
PAUSE_SECONDS = 1.5
"""Between two starts, so that what the one before still does is not in the next."""


def peer() -> float:
    """Return the seconds that a plain ``LocalCluster`` takes; its workers are there when the constructor returns."""
    from distributed import LocalCluster

    made: list[Any] = []
    taken = seconds(lambda: made.append(LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")))
    made[0].close()
    return taken


@contextmanager
def registry() -> Iterator[Path]:
    """Give this process a separate registry."""
    from .jupyter import stop_clusters

    before = os.environ.get("GPUCLUSTER_DIR")
    with tempfile.TemporaryDirectory(prefix="gpcbench", dir="/tmp") as name:
        os.environ["GPUCLUSTER_DIR"] = name
        try:
            yield Path(name)
        finally:
            stop_clusters(Path(name))
            os.environ.pop("GPUCLUSTER_DIR")
            if before is not None:
                os.environ["GPUCLUSTER_DIR"] = before


def ready_standbys(directory: Path) -> list[int]:
    """Return the processes of the standbys that have warmed up."""
    from gpucluster.client.starting.launch import standbys
    from gpucluster.registry.store import Registry

    found = [stored for _, stored in standbys(Registry(directory)) if stored.ready]
    return [stored.process.pid for stored in found if stored.process is not None]


def from_standby(directory: Path) -> float:
    """Return the seconds of ``gpucluster.create`` where a standby is ready."""
    import gpucluster
    from gpucluster.client.control import Control

    Control(directory).ensure_standby()
    until(lambda: ready_standbys(directory))
    time.sleep(PAUSE_SECONDS)
    made: list[Any] = []
    taken = seconds(lambda: made.append(gpucluster.create("local", n_workers=2)))
    made[0].close()
    return taken


def through_rest(ours: Ours) -> float:
    """Return the seconds from the request to a cluster that the list shows as running, where a standby is ready."""
    until(lambda: ready_standbys(ours.server.folder / "clusters"))
    time.sleep(PAUSE_SECONDS)
    taken = seconds(ours.create)
    ours.stop()
    return taken


def from_shell(directory: Path) -> float:
    """Return the seconds of the command, imports included, where there is no standby."""
    command = [sys.executable, "-m", "gpucluster.cli"]
    create = [*command, "create", "--backend", "local", "--n-workers", "2", "--name", "measured"]
    environment = {**os.environ, "GPUCLUSTER_DIR": str(directory)}
    taken = seconds(lambda: subprocess.run(create, env=environment, check=True, capture_output=True))
    subprocess.run([*command, "stop", "measured"], env=environment, check=True, capture_output=True)
    return taken


def warm(repeats: int) -> dict[str, list[float]]:
    """Measure starts where a standby is ready."""
    with jupyterlab() as server, registry() as directory:
        server.get("/gpucluster/api/clusters")
        ours = Ours(server)
        ways = {REST: lambda: through_rest(ours), PYTHON: lambda: from_standby(directory), PEER: peer}
        return by_turns(ways, repeats, pause=PAUSE_SECONDS)


def cold(repeats: int) -> dict[str, list[float]]:
    """Measure the command line."""
    with registry() as directory:
        return by_turns({SHELL: lambda: from_shell(directory), PEER: peer}, repeats, pause=PAUSE_SECONDS)


def standby_bytes() -> dict[str, int]:
    """Return what a standby holds of memory: all its processes together, shared pages once, and the sum of RSS."""
    from gpucluster.client.control import Control

    with registry() as directory:
        Control(directory).ensure_standby()
        until(lambda: ready_standbys(directory))
        time.sleep(PAUSE_SECONDS)
        top = psutil.Process(ready_standbys(directory)[0])
        family = [top, *top.children(recursive=True)]
        pages: set[int] = set()
        for process in family:
            pages |= _frames(process.pid)
        return {
            "processes": len(family),
            "shared_once": len(pages) * os.sysconf("SC_PAGE_SIZE"),
            "proportional": sum(process.memory_full_info().pss for process in family),
            "resident_sum": sum(process.memory_info().rss for process in family),
        }


def _frames(pid: int) -> set[int]:
    """Return the page frames of a process that are in memory. Needs the rights of root; else there are none."""
    size = os.sysconf("SC_PAGE_SIZE")
    found: set[int] = set()
    with open(f"/proc/{pid}/pagemap", "rb") as pagemap:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            if "[vsyscall]" in line:
                continue
            begin, end = (int(part, 16) // size for part in line.split()[0].split("-"))
            pagemap.seek(8 * begin)
            content = pagemap.read(8 * (end - begin))
            for (entry,) in struct.iter_unpack("Q", content):
                if entry >> 63 and (frame := entry & (1 << 55) - 1):
                    found.add(frame)
    return found


def told(times: dict[str, list[float]]) -> dict[str, Any]:
    """Return medians, ranges, and ratios to the peer."""
    base = statistics.median(times[PEER])
    return {
        name: {**summary(values), "ratio": round(statistics.median(values) / base, 2)} for name, values in times.items()
    }


def main() -> None:
    """Measure and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.starting", description=__doc__)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    if "standby" in options.only:
        figures["standby_bytes"] = standby_bytes()
    if "warm" in options.only:
        figures["warm_seconds"] = told(warm(options.repeats))
    if "cold" in options.only:
        figures["cold_seconds"] = told(cold(options.repeats))
    record(figures, name="starting", packages=["distributed", "jupyterlab"])


if __name__ == "__main__":
    main()
