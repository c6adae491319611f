"""The Kubernetes client of Dask's operator, kr8s (0.20), which has no method to end its connections."""

from __future__ import annotations

from typing import Any


async def close_connections(api: Any) -> None:
    """Close ``Api._session`` of ``kr8s.asyncio.Api``, an ``httpx.AsyncClient`` or ``None`` (0.20); it is made again."""
    if api._session is not None:
        await api._session.aclose()
