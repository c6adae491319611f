"""One line of progress in a cell, which its result then replaces."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from ..cli.progress import TerminalProgress, progress_line
from ..client.cluster import Cluster
from ..client.presentation import presentation
from ..protocol.models import ClusterModel


class LiveLine:
    """Shows what a cluster is doing while a cell runs.

    A context manager: the line is gone after the block, unless a result has replaced it. In a notebook the
    line is an output of its own that is updated in place; in a terminal it is the last line.

    Parameters
    ----------
    notebook : bool
        Whether outputs can be updated.
    """

    def __init__(self, *, notebook: bool) -> None:
        self._terminal = None if notebook else TerminalProgress()
        self._id = uuid4().hex
        self._text = ""
        self._replaced = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._replaced:
            self.clear()

    def __call__(self, model: ClusterModel) -> None:
        self.say(progress_line(model) + " …")

    def say(self, text: str) -> None:
        """Replace the line."""
        if text == self._text:
            return
        if self._terminal is not None:
            self._terminal.say(text.removesuffix(" …"))
        else:
            self._show({"text/plain": text}, raw=True)
        self._text = text

    def result(self, cluster: Cluster) -> None:
        """Replace the line by the cluster's card."""
        self._replaced = True
        if self._terminal is None:
            self._show(presentation().card_bundle(cluster, self._id), raw=True)
            return
        from IPython.display import display

        self.clear()
        display(cluster)  # type: ignore[no-untyped-call]

    def clear(self) -> None:
        """Take the line away."""
        if self._terminal is not None:
            self._terminal.clear()
        elif self._text:
            self._show({"text/plain": ""}, raw=True)
        self._text = ""

    def _show(self, value: Any, **options: Any) -> None:
        from IPython.display import display, update_display

        if self._text:
            update_display(value, display_id=self._id, **options)  # type: ignore[no-untyped-call]
        else:
            display(value, display_id=self._id, **options)  # type: ignore[no-untyped-call]
