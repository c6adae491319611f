"""The connection to a scheduler in a pod."""

from __future__ import annotations

import asyncio
import socket
from contextlib import AsyncExitStack, suppress
from typing import Any

from .api import SERVICE_ACCOUNT, Kubernetes
from .manifest import resource_name

SCHEDULER_PORT = 8786
DASHBOARD_PORT = 8787
CLOSE_SECONDS = 1.0


def is_inside() -> bool:
    """Whether this process is in a pod that reaches services by their names."""
    if not SERVICE_ACCOUNT.is_dir():
        return False
    with suppress(OSError):
        return bool(socket.getaddrinfo("kubernetes.default.svc", 443))
    return False


class Route:
    """The route to the scheduler of a cluster: its service, or Kubernetes' own port-forward."""

    def __init__(self, kubernetes: Kubernetes, cluster_id: str, *, inside: bool) -> None:
        self._kubernetes = kubernetes
        self._service = f"{resource_name(cluster_id)}-scheduler"
        self._inside = inside
        self._open = AsyncExitStack()

    async def open(self) -> tuple[tuple[str, int], tuple[str, int]]:
        """Open the route; return host and port of the scheduler, and of its web pages."""
        if self._inside:
            host = f"{self._service}.{self._kubernetes.namespace}.svc"
            return (host, SCHEDULER_PORT), (host, DASHBOARD_PORT)
        from kr8s.asyncio.objects import Service

        found = await self._kubernetes.ask("GET", f"services/{self._service}")
        service: Any = await Service(found, api=self._kubernetes.api)
        # On loopback only, and to the pod that is behind the service at the time of a connection.
        ports = [
            await self._open.enter_async_context(service.portforward(port, local_port="auto"))
            for port in (SCHEDULER_PORT, DASHBOARD_PORT)
        ]
        return ("127.0.0.1", ports[0]), ("127.0.0.1", ports[1])

    async def close(self) -> None:
        with suppress(Exception):
            await asyncio.wait_for(self._open.aclose(), CLOSE_SECONDS)
