"""How long a cluster is without a worker that was lost: ``python -m benchmarks.replacing [--repeats 3]``.

By SSH: two hosts in network namespaces, with links that are cut (``tests/backends/ssh/network.py``); Slurm: a real one
on loopback with idle nodes (``tests/backends/slurm/realslurm.py``). Needs root. Counted is from the loss until the
cluster has as many workers as before, and all of them answer.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gpucluster.client.control import Control
from gpucluster.client.starting.environment import cluster_environment
from gpucluster.protocol.models import ClusterModel

from tests.backends.slurm.realslurm import RealSlurm, require_installed
from tests.backends.ssh.network import Network
from tests.backends.ssh.sshd import Servers

from .recording import record

SLURM = {
    "backend": "slurm", "n_workers": 2, "partition": "main", "walltime": "00:20:00", "memory_limit": "600MB",
    "interface": "lo",
}  # fmt: skip
PATIENCE_SECONDS = 120


def _pids(model: ClusterModel) -> set[int | None]:
    return {worker.pid for worker in model.workers}


def replaced(control: Control, name: str, lose: Callable[[ClusterModel], int | None]) -> float:
    """Lose a worker and return the seconds until there is another one.

    Parameters
    ----------
    control : Control
    name : str
        Of the cluster.
    lose : callable
        Ends one of the workers somehow, and returns its process id.
    """
    gone = lose(control.get(name))
    begun = time.perf_counter()
    while True:
        pids = _pids(control.get(name))
        if gone not in pids and len(pids) == 2:
            return time.perf_counter() - begun
        if time.perf_counter() - begun > PATIENCE_SECONDS:
            raise RuntimeError("It was not replaced.")
        time.sleep(0.05)


def _kill(model: ClusterModel) -> int:
    pid = model.workers[0].pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    return pid


def by_ssh(repeats: int, directory: Path) -> dict[str, list[float]]:
    """Measure on two hosts."""
    network, servers = Network(3), Servers(directory)
    control = Control(directory / "registry")
    found: dict[str, list[float]] = {"its process was killed": [], "its host was cut off": []}
    try:
        for number in (1, 2):
            servers.start(f"h{number}", [network.address(number)], 22, network.on(number))
            servers.name(f"h{number}", network.address(number), 22)
            servers.know(network.address(number))
        options = {"hosts": "h1,h2", "ssh_config": str(servers.config), "name": "far", "idle_timeout_seconds": None}
        create = f"import gpucluster; gpucluster.create('ssh', **{options!r})"
        environment = {**cluster_environment(), "GPUCLUSTER_DIR": str(directory / "registry")}
        subprocess.run([*network.on(0), sys.executable, "-c", create], check=True, env=environment)
        for _ in range(repeats):
            found["its process was killed"].append(replaced(control, "far", _kill))
            time.sleep(2)

        def cut(model: ClusterModel) -> int | None:
            there = network.address(2)
            network.cut(2)
            return next(worker.pid for worker in model.workers if f"//{there}:" in (worker.address or ""))

        def is_on(host: str) -> bool:
            return any(f"//{host}:" in (worker.address or "") for worker in control.get("far").workers)

        for _ in range(repeats):
            found["its host was cut off"].append(replaced(control, "far", cut))
            network.restore(2)
            # Back to a worker on each host: what is alone on a host is started where there is most room.
            control.patch("far", {"n_workers": 1})
            _until(lambda: len(control.get("far").workers) == 1)
            time.sleep(62)  # A host that has failed is the last choice for a minute.
            control.patch("far", {"n_workers": 2})
            _until(lambda: is_on(network.address(2)))
            time.sleep(2)
        control.stop("far", wait=True)
    finally:
        servers.stop()
        network.close()
    return found


def _until(condition: Callable[[], Any]) -> None:
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > PATIENCE_SECONDS:
            raise RuntimeError("It did not happen.")
        time.sleep(0.05)


def by_slurm(repeats: int, directory: Path) -> dict[str, list[float]]:
    """Measure on a Slurm with idle nodes."""
    require_installed()
    slurm = RealSlurm()
    control = Control(directory / "registry")
    found: dict[str, list[float]] = {"its process was killed": [], "its job was cancelled": [], "its node failed": []}
    try:
        slurm.start()
        os.environ["SLURM_CONF"] = slurm.environment["SLURM_CONF"]
        control.create({**SLURM, "name": "jobs", "shared_directory": str(directory / "shared")})
        _until(lambda: len(control.get("jobs").workers) == 2)

        def job(model: ClusterModel) -> str:
            name = f"--name=gpucluster-{model.id}-{model.workers[0].name}"
            return slurm.ask("squeue", "-h", "-o", "%i", name).strip()

        def cancel(model: ClusterModel) -> int | None:
            slurm.ask("scancel", job(model))
            return model.workers[0].pid

        def fail(model: ClusterModel) -> int | None:
            node = slurm.ask("squeue", "-h", "-o", "%N", "-j", job(model)).strip()
            slurm.ask("scontrol", "update", f"nodename={node}", "state=down", "reason=test")
            return model.workers[0].pid

        for _ in range(repeats):
            for how, lose in zip(found, (_kill, cancel, fail), strict=True):
                found[how].append(replaced(control, "jobs", lose))
                for node in slurm.nodes:
                    slurm.ask("scontrol", "update", f"nodename={node}", "state=resume")
                time.sleep(6)
        control.stop("jobs", wait=True)
    finally:
        slurm.stop()
    return found


def main() -> None:
    """Measure and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.replacing", description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", choices=["ssh", "slurm"], nargs="+", default=["ssh", "slurm"])
    options = parser.parse_args()
    ways = {"ssh": by_ssh, "slurm": by_slurm}
    figures: dict[str, Any] = {}
    for name in options.only:
        with tempfile.TemporaryDirectory(prefix="gpcrep", dir="/tmp") as folder:
            times = ways[name](options.repeats, Path(folder))
        figures[name] = {
            how: {"median": round(statistics.median(taken), 2), "values": [round(each, 2) for each in taken]}
            for how, taken in times.items()
        }
    record({"seconds_without": figures}, name="replacing", packages=["distributed", "asyncssh", "dask-jobqueue"])


if __name__ == "__main__":
    main()
