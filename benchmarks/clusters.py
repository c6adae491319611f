"""Create, scale and stop, warm and cold, through REST."""

from __future__ import annotations

import time

from .jupyter import Ours, Peer, Server, jupyterlab, until
from .turns import seconds


def standby_is_ready(server: Server) -> bool:
    """Whether the server's idle supervisor has warmed up."""
    from gpucluster.client.starting.launch import standbys
    from gpucluster.registry.store import Registry

    return any(record.ready for _, record in standbys(Registry(server.folder / "clusters")))


def warm(repeats: int) -> dict[str, dict[str, list[float]]]:
    """Create, scale 2 → 4 and stop in turn, ours and the peer's alternating, on one server."""
    figures: dict[str, dict[str, list[float]]] = {}
    with jupyterlab() as server:
        server.get("/gpucluster/api/clusters")
        Peer(server).create()  # the peer's first one loads its modules: not counted
        for number in range(repeats + 1):
            for product in (Ours(server), Peer(server)):
                if isinstance(product, Ours):
                    until(lambda: standby_is_ready(server))
                    time.sleep(1)
                row = {
                    "create": seconds(product.create),
                    "scale": seconds(lambda product=product: product.scale(4)),
                    "stop": seconds(product.stop),
                }
                if number:
                    for name, value in row.items():
                        figures.setdefault(product.name, {}).setdefault(name, []).append(value)
    return figures


def cold(repeats: int) -> dict[str, list[float]]:
    """Create the first cluster of a fresh server that keeps no standby."""
    figures: dict[str, list[float]] = {}
    for _ in range(repeats):
        for kind in (Ours, Peer):
            with jupyterlab("--GPUClusterExtension.standby=False") as server:
                time.sleep(2)  # JupyterLab itself finishes its start
                figures.setdefault(kind.name, []).append(seconds(kind(server).create))
    return figures
