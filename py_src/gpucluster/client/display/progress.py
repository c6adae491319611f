"""The progress of a cluster as text: one line, in a terminal or in a notebook."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, Self, TextIO
from uuid import uuid4

from ...protocol.models import ClusterModel


def progress_line(model: ClusterModel) -> str:
    """Return in a few words what the cluster is doing."""
    if model.progress is None:
        return f"{model.name}: {model.state.value}"
    step = model.progress
    counted = f" {step.done} of {step.total}" if step.done is not None and step.total is not None else ""
    return f"{model.name}: {step.message}{counted}"


class TerminalProgress:
    """Shows progress in one line of a terminal, which is empty again afterwards.

    Nothing is written where the stream is no terminal.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.live = self.stream.isatty()

    def __call__(self, model: ClusterModel) -> None:
        self.say(progress_line(model))

    def say(self, text: str) -> None:
        """Replace the line."""
        if self.live:
            self.stream.write(f"\r\x1b[K{text}…")
            self.stream.flush()

    def clear(self) -> None:
        """Empty the line."""
        if self.live:
            self.stream.write("\r\x1b[K")
            self.stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()


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
