"""The client of Kubernetes that Dask's operator uses, kr8s (0.20): it has no way to end its connections."""

from __future__ import annotations

from typing import Any


async def close_connections(api: Any) -> None:
    """End the connections of a ``kr8s.asyncio.Api``; it makes new ones when it is used again.

    Relies on ``Api._session``, an ``httpx.AsyncClient`` or ``None`` (0.20).
    """
    if api._session is not None:
        await api._session.aclose()
