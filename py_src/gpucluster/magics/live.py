"""A line of progress in a cell, which its result then replaces."""

from __future__ import annotations

from ..client.cluster import Cluster
from ..client.display.card import LiveText
from ..client.display.presentation import presentation


class LiveLine(LiveText):
    """Shows what a cluster is doing while a cell runs: an updated output in a notebook, the last line of a terminal.

    A context manager: the line is removed after the block, unless a result has replaced it.
    """

    def __init__(self, *, notebook: bool) -> None:
        super().__init__(notebook=notebook)
        self._replaced = False

    def __exit__(self, *_: object) -> None:
        if not self._replaced:
            self.clear()

    def result(self, cluster: Cluster) -> None:
        self._replaced = True
        if self._terminal is None:
            self._show(presentation().card_bundle(cluster, self._id), raw=True)
            return
        from IPython.display import display

        self.clear()
        display(cluster)  # type: ignore[no-untyped-call]
