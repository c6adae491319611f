"""The holder of a lease, as its cluster sees him: when he is gone, or done, the cluster has no reason to live."""

from __future__ import annotations

from ..protocol.models import ClusterModel
from ..registry.leasing import why_over
from ..registry.record import Folder


class Holder:
    """Whoever has leased a cluster, if anybody has.

    Parameters
    ----------
    folder : Folder
        Where the cluster is written down.
    model : ClusterModel
        As requested.
    """

    def __init__(self, folder: Folder, model: ClusterModel) -> None:
        self._folder = folder
        self._lease = model.lease

    def why_over(self) -> str | None:
        """Return why the cluster is to end; ``None`` while the lease goes on, and where there is none."""
        return None if self._lease is None else why_over(self._folder, self._lease)
