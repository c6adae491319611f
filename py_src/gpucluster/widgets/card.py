"""What a notebook shows for a cluster: its card."""

from __future__ import annotations

from typing import Any

import traitlets

from ..client.cluster import Cluster
from ..client.control import AsyncControl
from ..client.dashboard_link import jupyter_base_url
from ..protocol.errors import GPUClusterError
from .messages import Page, Retire, Scale, Stop
from .picture import Picture
from .clusterwidget import ClusterWidget


class ClusterCard(ClusterWidget):
    """State, workers and gauges of a cluster, with scale and stop."""

    face = "card"

    link = traitlets.Unicode(None, allow_none=True).tag(sync=True)

    def __init__(self, cluster: Cluster, control: AsyncControl, **traits: Any) -> None:
        self._handle = cluster
        super().__init__(cluster, control, link=link_of(cluster), **traits)

    def picture(self) -> Picture:
        """Return the card as it was last seen."""
        found = super().picture()
        link = None if found.model.state.ended else self.link
        return Picture(found.model, found.sample, found.note, link)

    def on_wish(self, wish: Scale | Stop | Page | Retire) -> None:
        """Scale, stop or retire a worker."""
        if not isinstance(wish, Page):
            self.carry_out(wish)


def link_of(cluster: Cluster) -> str | None:
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
