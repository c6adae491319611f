"""One line that is replaced in place: an output of a notebook, or the last line of a terminal."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from ..protocol.models import ClusterModel
from .progress import TerminalProgress, progress_line


class LiveText:
    """Shows what a cluster is doing. A context manager: the line is gone after the block.

    Parameters
    ----------
    notebook : bool
        Whether outputs can be updated.
    """

    def __init__(self, *, notebook: bool) -> None:
        self._terminal = None if notebook else TerminalProgress()
        self._id = uuid4().hex
        self._text = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
