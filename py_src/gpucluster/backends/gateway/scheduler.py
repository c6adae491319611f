"""The view of a scheduler behind a Dask Gateway, which reports its end more reliably than a connection."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

from distributed.security import Security

from ..scheduler.remote import RemoteScheduler
from ..scheduler.view import Members
from .server import GatewayServer, Report

logger = logging.getLogger("gpucluster.backends")

CONNECT_SECONDS = 20.0


def security_of(report: Report) -> Security:
    """Return the credentials of a cluster from its server's report."""
    return Security(
        require_encryption=True,
        tls_ca_file=report.certificate,
        tls_client_cert=report.certificate,
        tls_client_key=report.key,
    )


class GatewayScheduler(RemoteScheduler):
    """Reads a scheduler behind a gateway, and reconnects when the connection breaks."""

    silent: Callable[[], None] | None = None  # Called when the scheduler may have ended, or does not respond.
    _over: Members | None = None
    way_back: tuple[str, Security]  # Where to connect again when the client gives up.

    def is_over(self, reason: str, *, failed: bool) -> None:
        """Note that it has ended according to the gateway."""
        self._over = Members(ended=reason, failed=failed)
        self._changed()

    def members(self) -> Members:
        if self._over is not None:
            return self._over
        found = super().members()
        if self.silent is not None and (found.ended is not None or self._client.status != "running"):
            self.silent()
        return replace(found, ended=None, failed=False)

    def _patience(self) -> float:
        # It is not gone as long as the gateway reports it.
        return math.inf

    async def _come_back(self) -> None:
        if self._over is not None:
            return
        if self.silent is not None:
            self.silent()
        if self._client.status == "closed":
            address, security = self.way_back
            await asyncio.sleep(1)
            try:
                await self.connect_again(address, security, timeout=CONNECT_SECONDS)
            except Exception:
                # The next look tries again.
                logger.info("The scheduler cannot be reached yet", exc_info=True)
            except asyncio.CancelledError:
                # A client that gives up cancels its own requests; the end of the view cancels this task.
                task = asyncio.current_task()
                if task is None or task.cancelling():
                    raise
        else:
            await super()._come_back()


def pages(server: GatewayServer, report: Report) -> tuple[tuple[str, int], str] | None:
    """Return host and port of the web pages, and their path; ``None`` if they cannot be shown."""
    place = urlsplit(server.login.address)
    if report.dashboard_route is None or place.scheme != "http":
        return None
    path = f"{place.path}{report.dashboard_route}".removesuffix("/status").strip("/")
    return (place.hostname or "", place.port or 80), path
