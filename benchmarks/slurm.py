"""``python -m benchmarks.slurm [--rounds N]``: a cluster of two jobs, from the request until both workers are there.

On a real Slurm with idle nodes, started for this (``tests/backends/slurm/realslurm.py``; needs root), gpucluster and
plain dask-jobqueue take turns. dask-jobqueue is measured in a process that has imported it, without TLS, as it is by
default; gpucluster with its TLS, once as the panel has it (a standby waits) and once without.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from gpucluster.client.control import Control

from tests.backends.slurm.realslurm import RealSlurm, require_installed

SPEC = {
    "backend": "slurm", "n_workers": 2, "partition": "main", "walltime": "00:10:00", "memory_limit": "600MB",
    "interface": "lo",
}  # fmt: skip
JOBQUEUE = """
import sys, time
from dask_jobqueue import SLURMCluster
from distributed import Client
folder = sys.argv[1]
begun = time.perf_counter()
cluster = SLURMCluster(
    queue="main", cores=1, processes=1, memory="600MB", walltime="00:10:00", interface="lo", log_directory=folder,
    local_directory=folder, scheduler_options={"dashboard_address": "127.0.0.1:0"},
)
cluster.scale(2)
with Client(cluster) as client:
    client.wait_for_workers(2)
    print(time.perf_counter() - begun)
cluster.close()
"""


def _ours(control: Control, *, standby: bool) -> float:
    if standby:
        control.ensure_standby()
        registry = control.asynchronous.registry
        while not any((record := registry.read(folder)) and record.ready for folder in registry.folders()):
            time.sleep(0.05)
        time.sleep(1.0)
    begun = time.perf_counter()
    model = control.create(SPEC)
    while control.get(model.id).n_workers < 2:
        time.sleep(0.01)
    took = time.perf_counter() - begun
    control.stop(model.id, wait=True)
    return took


def _theirs(folder: str) -> float:
    done = subprocess.run([sys.executable, "-c", JOBQUEUE, folder], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def _settled(slurm: RealSlurm) -> None:
    while slurm.jobs():
        time.sleep(0.1)
    time.sleep(1.5)  # Slurm's next scheduling round begins in any case.


def main() -> None:
    """Measure in turns, and print medians and ranges."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.slurm")
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    require_installed()
    slurm = RealSlurm()
    try:
        slurm.start()
        os.environ["SLURM_CONF"] = slurm.environment["SLURM_CONF"]
        with tempfile.TemporaryDirectory(prefix="gpc", dir="/tmp") as directory:
            os.environ["GPUCLUSTER_DIR"] = directory
            control = Control(Path(directory))
            ways: dict[str, Callable[[], float]] = {
                "dask-jobqueue": lambda: _theirs(directory),
                "gpucluster, standby": lambda: _ours(control, standby=True),
                "gpucluster, cold": lambda: _ours(control, standby=False),
            }
            found: dict[str, list[float]] = {name: [] for name in ways}
            for _ in range(rounds):
                for name, measure in ways.items():
                    _settled(slurm)
                    control.close_standby() if "cold" in name else None
                    found[name].append(round(measure(), 3))
            control.close_standby()
    finally:
        slurm.stop()
    for name, times in found.items():
        print(f"{name:22} {statistics.median(times):.2f} s ({min(times):.2f}–{max(times):.2f})")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
