"""``cluster.gauges()``."""

from __future__ import annotations

from .messages import Page, Retire, Scale, Stop
from .clusterwidget import ClusterWidget


class ClusterGauges(ClusterWidget):
    """Live gauges: memory, GPUs, tasks and progress of a cluster, those of the panel."""

    face = "gauges"

    def on_wish(self, wish: Scale | Stop | Page | Retire) -> None:
        """Retire a worker."""
        if isinstance(wish, Retire):
            self.carry_out(wish)
