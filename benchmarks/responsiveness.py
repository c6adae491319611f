"""What a busy or stopping cluster does to the Jupyter server."""

from __future__ import annotations

import subprocess
import sys
import time

from .jupyter import Ours, Peer, jupyterlab
from .turns import seconds

TASKS = 10_000


def status_latency(repeats: int) -> dict[str, list[float]]:
    """Return the longest ``/api/status`` in seconds while 10,000 tiny tasks run, once per repeat."""
    figures: dict[str, list[float]] = {}
    for kind in (Ours, Peer):
        with jupyterlab("--GPUClusterExtension.standby=False") as server:
            product = kind(server)
            product.create()
            for _ in range(repeats):
                code = (
                    f"{product.connection()}\nimport operator\n"
                    f"print('ready', flush=True); input()\n"
                    f"client.gather(client.map(operator.neg, range({TASKS}), pure=False))\nclient.close()"
                )
                worker = subprocess.Popen(
                    [sys.executable, "-W", "ignore", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
                )
                assert worker.stdout is not None and worker.stdin is not None
                worker.stdout.readline()
                worker.stdin.write(b"\n")
                worker.stdin.close()
                longest = 0.0
                while worker.poll() is None:
                    longest = max(longest, seconds(lambda: server.get("/api/status")))
                    time.sleep(0.005)
                figures.setdefault(kind.name, []).append(longest)
            product.stop()
    return figures


def stop_server(repeats: int) -> tuple[dict[str, list[float]], int]:
    """Return the seconds from SIGTERM to the server's exit with a running cluster, and how many clusters survived."""
    from gpucluster.client.control import Control

    figures: dict[str, list[float]] = {}
    kept = 0
    for _ in range(repeats):
        for kind in (None, Ours, Peer):
            with jupyterlab() as server:
                if kind is not None:
                    kind(server).create()
                name = "no cluster" if kind is None else kind.name
                figures.setdefault(name, []).append(server.terminate())
                if kind is Ours:
                    kept += [model.state.value for model in Control(server.folder / "clusters").list()] == ["running"]
    return figures, kept
