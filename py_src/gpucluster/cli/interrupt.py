"""Ctrl-C at the wrong moment: between the start of a process and knowing which one it is."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class HeldInterrupt:
    """Remembers whether somebody pressed Ctrl-C meanwhile."""

    pending = False

    def deliver(self) -> None:
        """Raise the ``KeyboardInterrupt`` that was held back, if there was one."""
        if self.pending:
            self.pending = False
            raise KeyboardInterrupt


@contextmanager
def interrupts_held() -> Iterator[HeldInterrupt]:
    """Hold Ctrl-C back for a short step that must not be cut in two.

    The caller delivers it afterwards, where the step can be undone. Does nothing outside the main thread,
    which gets no signals.
    """
    held = HeldInterrupt()
    if threading.current_thread() is not threading.main_thread():
        yield held
        return

    def note(_number: int, _frame: FrameType | None) -> None:
        held.pending = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield held
    finally:
        signal.signal(signal.SIGINT, before)
