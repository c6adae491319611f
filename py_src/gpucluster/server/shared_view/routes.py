"""Addresses of shared views and their handlers. All other routes of the extension require Jupyter's login."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...client.control import AsyncControl
from ..dashboards import DashboardClient
from .dashboard import PAGES_LOADED, SharedDashboardHandler
from .events import SharedEventsHandler, SharedHistoryHandler, ViewFeeds
from .handler import OPENINGS, Limiter
from .page import (
    FILES,
    OPENINGS_TOLD,
    WRONG_TOKENS,
    SharedFileHandler,
    SharedLoginHandler,
    SharedPageHandler,
    SharedSessionHandler,
)
from .sessions import OpenViews, ViewSessions

VIEW = r"gpucluster/shared/([0-9a-f]{8})"


@dataclass(frozen=True)
class SharedViews:
    """The long-lived objects of shared views."""

    sessions: ViewSessions
    views: OpenViews
    feeds: ViewFeeds

    async def close(self) -> None:
        await self.views.close()
        await self.feeds.close()


def shared_routes(
    shared: SharedViews, control: AsyncControl, client: DashboardClient
) -> list[tuple[str, type, dict[str, Any]]]:
    """Return pattern, handler and arguments of every address, below the base URL."""
    parts: dict[str, Any] = {
        "control": control,
        "sessions": shared.sessions,
        "wrong": Limiter(*WRONG_TOKENS),
        "loads": Limiter(*PAGES_LOADED),
        "openings": Limiter(*OPENINGS),
    }
    socket = {**parts, "views": shared.views}
    names = "|".join(name.replace(".", r"\.") for name in FILES)
    return [
        (VIEW + "/", SharedPageHandler, parts),
        (f"{VIEW}/({names})", SharedFileHandler, parts),
        (VIEW + "/session", SharedSessionHandler, {**parts, "told": Limiter(*OPENINGS_TOLD)}),
        (VIEW + "/login", SharedLoginHandler, parts),
        (VIEW + "/events", SharedEventsHandler, {**socket, "feeds": shared.feeds}),
        (VIEW + "/history", SharedHistoryHandler, parts),
        (VIEW + "/dashboard/(.+)", SharedDashboardHandler, {**socket, "client": client}),
    ]
