"""A scheduler started outside gpucluster: its identity, and the view of it. Nothing in here ends anything."""

from __future__ import annotations

import asyncio
import importlib.metadata
import logging
import platform
import socket
import ssl
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from packaging.requirements import Requirement
from packaging.version import InvalidVersion, Version

from ...dask_internals.clusters import close_rpc, scheduler_rpc
from ...dask_internals.scheduler_state import take_worker_plugin_elsewhere
from ...protocol.errors import PreflightFailed
from ...protocol.plain_text import printable
from ...telemetry.plugin import PLUGIN
from ..deployment import Deployment, Slot, SlotState
from ..scheduler.remote import RemoteScheduler

if TYPE_CHECKING:
    from distributed.security import Security


logger = logging.getLogger("gpucluster.backends")

ANSWER_SECONDS = 15.0
PAGE_SECONDS = 5.0


@dataclass(frozen=True)
class Greeting:
    """The relevant parts of a scheduler's identity."""

    dashboard_port: int | None
    warning: str | None  # A message about its version.


async def greet(address: str, security: Security | None) -> Greeting:
    """Request a scheduler's identity, and compare versions. Raises `PreflightFailed`."""
    caller = scheduler_rpc(address, security)
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            identity = await caller.identity()
            if identity.get("type") != "Scheduler":
                kind = printable(str(identity.get("type")), 20).lower()
                raise PreflightFailed(
                    f"The server at {address} is a Dask {kind}, not a scheduler: use the scheduler's address."
                )
            versions = await caller.versions()
    except (OSError, ValueError, AttributeError, TypeError) as error:  # A timeout, which is an OSError, has a cause.
        raise PreflightFailed(_why_not(address, error)) from error
    finally:
        await close_rpc(caller)
    port = identity.get("services", {}).get("dashboard")
    warning = _compare(address, versions)
    return Greeting(port if isinstance(port, int) else None, warning)


def _why_not(address: str, error: BaseException) -> str:
    chain: list[str] = []
    found: BaseException | None = error
    while found is not None and len(chain) < 10:
        chain.append(f"{type(found).__name__}: {found}")
        if isinstance(found, ssl.SSLCertVerificationError):
            return (
                f"The scheduler at {address} has a certificate that was not issued by the authority in tls_ca_file. Do "
                "these files belong to that scheduler?"
            )
        found = found.__cause__ or found.__context__
    logger.warning("The scheduler rejected the connection: %s", " < ".join(chain))
    if address.startswith("tls://"):
        return (
            f"The scheduler at {address} rejects the certificate in tls_cert. Do these files belong to that scheduler, "
            "and are they still valid?"
        )
    return f"The scheduler at {address} does not respond like a Dask scheduler ({printable(chain[-1], 120)})."


def _compare(address: str, versions: dict[str, Any]) -> str | None:
    """Return a warning about its versions; refuse what cannot work."""
    python = str(versions.get("host", {}).get("python", ""))
    ours = platform.python_version_tuple()[:2]
    if python and tuple(python.split(".")[:2]) != ours:
        shown = printable(".".join(python.split(".")[:3]), 10)
        raise PreflightFailed(
            f"The scheduler at {address} runs Python {shown}, but this environment has {platform.python_version()}. "
            "Tasks can be exchanged only between the same minor versions: use an environment "
            f"with Python {'.'.join(python.split('.')[:2])}."
        )
    there = str(versions.get("packages", {}).get("distributed", ""))
    here = importlib.metadata.version("distributed")
    if there == here or not there:
        return None
    required = _supported()
    try:
        fits = required is None or required.specifier.contains(Version(there), prereleases=True)
    except InvalidVersion:
        fits = False
    if not fits:
        raise PreflightFailed(
            f"The scheduler at {address} has distributed {printable(there, 20)}, but this gpucluster works with "
            f"distributed{required.specifier if required is not None else ''}: use an environment like the scheduler's."
        )
    return (
        f"The scheduler has distributed {printable(there, 20)} and this environment {here}: features that one of them "
        "lacks may fail. Use the same version in both."
    )


def _supported() -> Requirement | None:
    for line in importlib.metadata.requires("gpucluster") or ():
        requirement = Requirement(line)
        if requirement.name == "distributed" and requirement.marker is None:
            return requirement
    return None


async def find_pages(address: str, port: int | None) -> tuple[tuple[str, int], str] | None:
    """Return host and port of the scheduler's web pages, and their path; ``None`` without any."""
    if port is None:
        return None
    from tornado.httpclient import HTTPRequest
    from tornado.simple_httpclient import SimpleAsyncHTTPClient

    host = urlsplit(address).hostname or ""
    shown = f"[{host}]" if ":" in host else host
    client = SimpleAsyncHTTPClient(force_instance=True)
    try:
        url = f"http://{shown}:{port}/"
        request = HTTPRequest(url, follow_redirects=False, connect_timeout=PAGE_SECONDS, request_timeout=PAGE_SECONDS)
        answer = await client.fetch(request, raise_error=False)
    except (OSError, ValueError):
        return None
    finally:
        client.close()
    # Dask redirects its first page to the status page, below its prefix if it has one.
    path = urlsplit(answer.headers.get("Location", "")).path
    if answer.code not in {301, 302} or not path.endswith("/status"):
        return None
    return (host, port), path.removesuffix("/status").strip("/")


CONNECT_SECONDS = 8.0
GREETING_SECONDS = 3.0
_MARK = b"pickle-protocol"  # In Dask's first message over a connection that is not encrypted.


async def require_scheduler(address: str) -> None:
    """Raise `PreflightFailed` if something other than a Dask scheduler listens at an address."""
    scheme, _, place = address.partition("://")
    host, _, port = place.rpartition(":")
    spoken = await _spoken_at(host.strip("[]"), int(port), address)
    if spoken is None:
        raise PreflightFailed(f"The server at {address} is not a Dask scheduler. Is the port right?")
    if scheme == "tls" and spoken == "tcp":
        raise PreflightFailed(
            f"The scheduler at {place} does not use TLS: its address is tcp://{place}. Anyone who can reach it can run "
            "code on its workers."
        )
    if scheme == "tcp" and spoken == "tls":
        raise PreflightFailed(
            f"The server at {place} uses TLS: if it is a scheduler, its address is tls://{place}, and you need its "
            "TLS files."
        )


async def _spoken_at(host: str, port: int, address: str) -> str | None:
    """Return Dask's protocol at an address; ``None``: something else listens there."""
    try:
        reader, writer = await asyncio.wait_for(asyncio.open_connection(host, port), CONNECT_SECONDS)
    except TimeoutError:
        raise PreflightFailed(
            f"{host} does not respond on port {port}. Is the address right, and does a firewall block it?"
        ) from None
    except ConnectionRefusedError:
        raise PreflightFailed(f"Nothing is listening at {address}. Is the scheduler running, on that port?") from None
    except OSError as error:
        if isinstance(error, socket.gaierror):
            raise PreflightFailed(f"Host '{host}' not found.") from None
        raise PreflightFailed(f"{address} cannot be reached ({error.strerror or error}).") from None
    greeting = b""
    try:
        async with asyncio.timeout(GREETING_SECONDS):
            while _MARK not in greeting and len(greeting) < 4096:
                part = await reader.read(4096)
                if not part:
                    break
                greeting += part
    except TimeoutError:
        pass
    except OSError:
        return None
    finally:
        await _leave(writer)
    if greeting:
        return "tcp" if _MARK in greeting else None
    return "tls" if await _takes_tls(host, port) else None


async def _takes_tls(host: str, port: int) -> bool:
    """Whether a TLS handshake is answered, successfully or not."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Only the protocol is of interest; nothing is sent.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        connecting = asyncio.open_connection(host, port, ssl=context)
        _, writer = await asyncio.wait_for(connecting, GREETING_SECONDS)
    except ssl.SSLError as error:
        return "ALERT" in str(error.reason or "")  # It requires a client certificate, so it uses TLS.
    except (OSError, TimeoutError):
        return False
    await _leave(writer)
    return True


async def _leave(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(Exception):
        await asyncio.wait_for(writer.wait_closed(), 1)


REMOVE_SECONDS = 2.0


class WatchedScheduler(RemoteScheduler):
    """Reads a scheduler started outside gpucluster, and removes its plugins at the end."""

    measure = True  # Whether its workers may get our plugin.

    async def add_worker_plugin(self, name: str, pickled: bytes) -> None:
        if self.measure:
            await super().add_worker_plugin(name, pickled)

    async def close(self) -> None:
        if self._given and self.members().ended is None:
            with suppress(Exception):
                await take_worker_plugin_elsewhere(self._client, PLUGIN, seconds=REMOVE_SECONDS)
        await super().close()


class ExistingDeployment(Deployment):
    """A scheduler and workers started outside gpucluster."""

    can = frozenset()
    why_not = "this scheduler and its workers were started outside gpucluster, which does not manage them"

    def __init__(self, scheduler: WatchedScheduler) -> None:
        self.scheduler = scheduler
        self._since: dict[str, datetime] = {}

    def slots(self) -> list[Slot]:
        """Return the connected workers: how many there should be is unknown."""
        now = datetime.now(UTC)
        names = [worker.name for worker in self.scheduler.members().workers]
        self._since = {name: self._since.get(name, now) for name in names}
        return [Slot(name, SlotState.RUNNING, since) for name, since in self._since.items()]

    async def release(self, names: Collection[str]) -> None:
        """Refuse, because they were started outside gpucluster."""
        raise self._refusal("be stopped from here: they were started outside gpucluster")

    async def close(self) -> None:
        await self.scheduler.close()
