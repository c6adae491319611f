"""What is wrong with the site's file: all of it for who can fix it, for others what it means for them."""

from __future__ import annotations

import asyncio
from typing import Any

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from ..protocol.models import SiteFaults
from ..site.notice import can_change, notice_of
from ..site.reading import this_site
from .api import ClusterAPIHandler


class SiteHandler(ClusterAPIHandler):
    """Faults of the site's file."""

    polled = True

    @authenticated
    @authorized
    async def get(self) -> None:
        """Return them."""
        self.answer(await asyncio.to_thread(_faults, is_hub_admin(self.current_user)))


def is_hub_admin(user: Any) -> bool:
    """Return whether JupyterHub calls this user an administrator, who may change files in another name."""
    model = getattr(user, "hub_user", None)
    return isinstance(model, dict) and model.get("admin") is True


def _faults(is_admin: bool) -> SiteFaults:
    site = this_site()
    is_concerned = is_admin or can_change(site)
    faults = list(site.troubles) if is_concerned else []
    return SiteFaults(faults=faults, notice=notice_of(site), message=site.sharing.message or None)
