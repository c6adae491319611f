"""Dask Gateway's client (2025.4): requests of its ``Gateway`` to the server, which its manual does not describe."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import Any

SCHEME = "gateway"


def know_addresses() -> None:
    """Register the address scheme ``gateway`` with distributed, in this process.

    Importing ``dask_gateway.comm`` registers it; the package has no entry point ``distributed.comm.backends``.

    Raises `ImportError`: dask-gateway is not installed.
    """
    import dask_gateway.comm  # noqa: F401


async def ask(gateway: Any, method: str, path: str, body: Any = None) -> Any:
    """Send a request to the server as ``Gateway`` does, with its login; returns the answer, ``None`` if it is empty.

    Relies on the coroutine ``Gateway._request(method, url, json=…)``, which raises ``ValueError`` with the server's
    message for 404 and 422, ``GatewayClusterError`` for 409 and ``GatewayServerError`` for 500, and on
    ``Gateway.address``.

    * `gateway`: an asynchronous one.
    * `method`: of HTTP.
    * `path`: below the server's address, with a leading slash.
    * `body`: JSON types.
    """
    answer = await gateway._request(method, f"{gateway.address}{path}", json=body)
    text = await answer.text()
    return await answer.json() if text else None


async def clock(gateway: Any) -> float:
    """Return the server's time in seconds since 1970, from the header ``Date`` of an HTTP response.

    Relies on the same as ``ask``, and on answers being those of ``aiohttp``.
    """
    answer = await gateway._request("GET", f"{gateway.address}/api/version")
    return parsedate_to_datetime(answer.headers["Date"]).timestamp()


def refusals() -> tuple[type[Exception], type[Exception]]:
    """Return ``GatewayClusterError`` and ``GatewayServerError``."""
    from dask_gateway import GatewayClusterError, GatewayServerError

    return GatewayClusterError, GatewayServerError
