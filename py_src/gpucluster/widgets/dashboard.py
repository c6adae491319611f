"""``cluster.dashboard("task-stream")``."""

from __future__ import annotations

from typing import Any

import traitlets

from ..client.cluster import Cluster
from ..client.control import AsyncControl
from ..client.dashboard_link import jupyter_base_url
from ..client.dashboard import DEFAULT_PAGE, PAGES, DashboardPage, find_page
from ..protocol.errors import InvalidRequest
from .messages import Page, Retire, Scale, Stop
from .picture import Picture
from .clusterwidget import ClusterWidget

NO_SERVER = (
    "This kernel belongs to no Jupyter server that could show the dashboard here. On this machine, a browser can open "
    "cluster.dashboard_link, which holds a secret: do not pass it on."
)


class ClusterDashboard(ClusterWidget):
    """A page of Dask's dashboard, through the Jupyter server."""

    face = "dashboard"
    wants_samples = False

    page = traitlets.Unicode(DEFAULT_PAGE).tag(sync=True)
    pages: traitlets.List[list[str]] = traitlets.List().tag(sync=True)
    path = traitlets.Unicode(None, allow_none=True).tag(sync=True)

    def __init__(self, cluster: Cluster, control: AsyncControl, page: DashboardPage, **traits: Any) -> None:
        base = jupyter_base_url()
        gpu = cluster.backend == "cuda"
        pages = [[found.path, found.title] for found in PAGES if gpu or not found.gpu or found == page]
        path = None if base is None else f"{base.rstrip('/')}/gpucluster/dashboard/{cluster.id}"
        super().__init__(cluster, control, page=page.path, pages=pages, path=path, **traits)
        if path is None:
            self.refusal = NO_SERVER

    def picture(self) -> Picture:
        """Return the cluster as it was last seen: a dashboard itself leaves no picture."""
        found = super().picture()
        title = find_page(self.page).title
        said = found.note or f"Here is the page '{title}' of the dashboard while the notebook runs."
        link = None if self.path is None or found.model.state.ended else f"{self.path}/{self.page}"
        return Picture(found.model, None, said, link, card=False)

    def on_wish(self, wish: Scale | Stop | Page | Retire) -> None:
        """Remember the chosen page, for views that open later."""
        if not isinstance(wish, Page):
            return
        try:
            self.page = find_page(wish.page).path
        except InvalidRequest as error:
            self.refusal = error.message
