"""The Kubernetes client of Dask's operator, kr8s (0.20), which has no method to end its connections."""

from __future__ import annotations

from typing import Any


async def close_connections(api: Any) -> None:
    """End the connections of a ``kr8s.asyncio.Api``; it makes new ones on the next use.

    Relies on ``Api._session``, an ``httpx.AsyncClient`` or ``None`` (0.20).
    """
    if api._session is not None:
        await api._session.aclose()
