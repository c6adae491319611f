"""Dask Gateway's client (2025.4): what its manual does not describe, which is how its ``Gateway`` asks the server."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import Any

SCHEME = "gateway"


def know_addresses() -> None:
    """Let distributed connect to addresses of the scheme ``gateway``, in this process.

    Importing ``dask_gateway.comm`` registers it; the package has no entry point ``distributed.comm.backends``.

    Raises `ImportError`: dask-gateway is not installed.
    """
    import dask_gateway.comm  # noqa: F401


async def ask(gateway: Any, method: str, path: str, body: Any = None) -> Any:
    """Ask the server as ``Gateway`` does, logged in; returns what it answers, ``None`` where that is empty.

    Relies on the coroutine ``Gateway._request(method, url, json=…)``, which raises ``ValueError`` with what the server
    says for 404 and 422, ``GatewayClusterError`` for 409 and ``GatewayServerError`` for 500, and on
    ``Gateway.address``.

    * `gateway`: an asynchronous one.
    * `method`: of HTTP.
    * `path`: below the server's address, with a slash in front.
    * `body`: what is sent, in types of JSON.
    """
    answer = await gateway._request(method, f"{gateway.address}{path}", json=body)
    text = await answer.text()
    return await answer.json() if text else None


async def clock(gateway: Any) -> float:
    """Return the time by the server's clock, in seconds since 1970: the header ``Date`` of an answer of HTTP.

    Relies on the same as ``ask``, and on answers being those of ``aiohttp``.
    """
    answer = await gateway._request("GET", f"{gateway.address}/api/version")
    return parsedate_to_datetime(answer.headers["Date"]).timestamp()


def refusals() -> tuple[type[Exception], type[Exception]]:
    """Return ``GatewayClusterError`` and ``GatewayServerError``."""
    from dask_gateway import GatewayClusterError, GatewayServerError

    return GatewayClusterError, GatewayServerError
