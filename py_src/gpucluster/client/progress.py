"""What happens while a cluster starts or scales, in one line."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self, TextIO

from ..protocol.models import ClusterModel


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
