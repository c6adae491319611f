"""The three views of a cluster: its gauges, its card, and a page of Dask's dashboard."""

from __future__ import annotations

from typing import Any

import traitlets

from ..client.control import AsyncControl
from ..client.dashboard import DEFAULT_PAGE, PAGES, DashboardPage, find_page, jupyter_base_url
from ..client.presentation import ShownCluster
from ..protocol.errors import GPUClusterError, InvalidRequest
from .cluster_widget import ClusterWidget
from .messages import Message, Page, Retire, Scale, Stop
from .picture import Picture

NO_SERVER = (
    "This kernel belongs to no Jupyter server that could show the dashboard here. On this machine, a browser can open "
    "cluster.dashboard_link, which holds a secret: do not pass it on."
)


class ClusterGauges(ClusterWidget):
    """``cluster.gauges()``: memory, GPUs, tasks and progress of a cluster, the gauges of the panel."""

    requests = (Retire,)

    view = traitlets.Unicode("gauges").tag(sync=True)


class ClusterCard(ClusterWidget):
    """State, workers and gauges of a cluster, with scale and stop."""

    requests = (Scale, Retire, Stop)

    view = traitlets.Unicode("card").tag(sync=True)
    link = traitlets.Unicode(None, allow_none=True).tag(sync=True)

    def __init__(self, cluster: ShownCluster, control: AsyncControl, **traits: Any) -> None:
        self._handle = cluster
        super().__init__(cluster, control, link=link_of(cluster), **traits)

    def picture(self) -> Picture:
        """Return the card as it was last seen."""
        found = super().picture()
        link = None if found.model.state.ended else self.link
        return Picture(found.model, found.sample, found.note, link)


class ClusterDashboard(ClusterWidget):
    """A page of Dask's dashboard, through the Jupyter server."""

    wants_samples = False

    view = traitlets.Unicode("dashboard").tag(sync=True)
    page = traitlets.Unicode(DEFAULT_PAGE).tag(sync=True)
    pages: traitlets.List[list[str]] = traitlets.List().tag(sync=True)
    path = traitlets.Unicode(None, allow_none=True).tag(sync=True)

    def __init__(self, cluster: ShownCluster, control: AsyncControl, page: DashboardPage, **traits: Any) -> None:
        base = jupyter_base_url()
        gpu = cluster.model.has_gpus
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

    def on_message(self, message: Message) -> None:
        """Remember the chosen page, for views that open later."""
        super().on_message(message)
        if isinstance(message, Page):
            try:
                self.page = find_page(message.page).path
            except InvalidRequest as error:
                self.refusal = error.message


def link_of(cluster: ShownCluster) -> str | None:
    """Return the dashboard's address on the Jupyter server, None where there is none.

    A direct address holds a secret, which has no place in a notebook.
    """
    if jupyter_base_url() is None:
        return None
    try:
        link = cluster.dashboard_link
    except GPUClusterError:
        return None
    return link if link.startswith("/") else None
