"""The view of a scheduler behind a Dask Gateway: whether it has ended, the gateway knows better than a connection."""

from __future__ import annotations

import asyncio
import logging
import math
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from distributed.security import Security

from ..scheduler.remote import RemoteScheduler
from ..scheduler.view import Members
from .server import GatewayServer, Report

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger("gpucluster.backends")

CONNECT_SECONDS = 20.0


def security_of(report: Report) -> Security:
    """Return the credentials of a cluster, as its server has told them."""
    return Security(
        require_encryption=True,
        tls_ca_file=report.certificate,
        tls_client_cert=report.certificate,
        tls_client_key=report.key,
    )


class GatewayScheduler(RemoteScheduler):
    """Looks at a scheduler behind a gateway, and goes on when the connection was cut."""

    silent: Callable[[], None] | None = None  # Told that the scheduler may have ended, or does not answer.
    _over: Members | None = None
    _address_and_security: tuple[str, Security]

    def is_over(self, reason: str, *, failed: bool) -> None:
        """Take it for ended: so says the gateway."""
        self._over = Members(ended=reason, failed=failed)
        self._changed()

    def reconnects_to(self, address: str, security: Security) -> None:
        """Connect anew there, when the connection is given up."""
        self._address_and_security = (address, security)

    def members(self) -> Members:
        if self._over is not None:
            return self._over
        found = super().members()
        if self.silent is not None and (found.ended is not None or self._client.status != "running"):
            self.silent()
        return replace(found, ended=None, failed=False)

    def _patience(self) -> float:
        # Nothing is gone as long as the gateway says that it is there.
        return math.inf

    async def _come_back(self) -> None:
        if self._over is not None:
            return
        if self.silent is not None:
            self.silent()
        if self._client.status == "closed":
            address, security = self._address_and_security
            await asyncio.sleep(1)
            try:
                await self.connect_again(address, security, timeout=CONNECT_SECONDS)
            except Exception:
                # Whatever keeps it: the next look comes, and with it the next attempt.
                logger.info("The scheduler cannot be reached yet", exc_info=True)
            except asyncio.CancelledError:
                # A client that is given up cancels what it waits for; whoever ends the view cancels this task.
                task = asyncio.current_task()
                if task is None or task.cancelling():
                    raise
        else:
            await super()._come_back()


def pages(server: GatewayServer, report: Report) -> tuple[tuple[str, int], str] | None:
    """Return host and port of the web pages, and below which path they are; ``None`` where they cannot be shown."""
    place = urlsplit(server.login.address)
    if report.dashboard_route is None or place.scheme != "http":
        return None
    path = f"{place.path}{report.dashboard_route}".removesuffix("/status").strip("/")
    return (place.hostname or "", place.port or 80), path
