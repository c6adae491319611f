"""Who listens at an address, found out before Dask's own code tries for half a minute and tells less."""

from __future__ import annotations

import asyncio
import socket
import ssl
from contextlib import suppress
from enum import Enum

from ...protocol.errors import PreflightFailed

CONNECT_SECONDS = 8.0
GREETING_SECONDS = 3.0
_MARK = b"pickle-protocol"
"""In what Dask says first, over a connection that is not encrypted."""


class Speaks(Enum):
    """What is spoken at an address."""

    DASK = "Dask without encryption"
    TLS = "TLS"
    OTHER = "something else"


async def must_speak(address: str) -> None:
    """Refuse an address where no scheduler of Dask can be.

    Raises
    ------
    PreflightFailed
        With what is there instead.
    """
    scheme, _, place = address.partition("://")
    host, _, port = place.rpartition(":")
    spoken = await _spoken_at(host.strip("[]"), int(port), address)
    if spoken is Speaks.OTHER:
        raise PreflightFailed(f"What listens at {address} is not a scheduler of Dask. Is it the right port?")
    if scheme == "tls" and spoken is Speaks.DASK:
        raise PreflightFailed(
            f"The scheduler at {place} does not encrypt: its address is tcp://{place}. Anyone who can reach it can run "
            "code on its workers."
        )
    if scheme == "tcp" and spoken is Speaks.TLS:
        raise PreflightFailed(
            f"What listens at {place} encrypts: if it is a scheduler, its address is tls://{place}, and you need its "
            "TLS files."
        )


async def _spoken_at(host: str, port: int, address: str) -> Speaks:
    try:
        reader, writer = await asyncio.wait_for(asyncio.open_connection(host, port), CONNECT_SECONDS)
    except TimeoutError:
        raise PreflightFailed(
            f"{host} does not answer on port {port}. Is the address right, and does a firewall let you through?"
        ) from None
    except ConnectionRefusedError:
        raise PreflightFailed(f"Nobody listens at {address}. Does the scheduler run, and on that port?") from None
    except OSError as error:
        if isinstance(error, socket.gaierror):
            raise PreflightFailed(f"There is no host '{host}', as far as this machine knows.") from None
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
        return Speaks.OTHER
    finally:
        await _leave(writer)
    if greeting:
        return Speaks.DASK if _MARK in greeting else Speaks.OTHER
    return Speaks.TLS if await _takes_tls(host, port) else Speaks.OTHER


async def _takes_tls(host: str, port: int) -> bool:
    """Whether somebody answers to the first words of TLS, whatever comes of it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Only what is spoken is looked at; nothing is sent.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        connecting = asyncio.open_connection(host, port, ssl=context)
        _, writer = await asyncio.wait_for(connecting, GREETING_SECONDS)
    except ssl.SSLError as error:
        return "ALERT" in str(error.reason or "")  # It wants to know who we are, in TLS.
    except (OSError, TimeoutError):
        return False
    await _leave(writer)
    return True


async def _leave(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(Exception):
        await asyncio.wait_for(writer.wait_closed(), 1)
