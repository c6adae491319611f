"""Ctrl-C and similar signals, which must not come between the start of a process and knowing its id."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class HeldInterrupt:
    pending = False

    def deliver(self) -> None:
        """Raise the held ``KeyboardInterrupt``, if any."""
        if self.pending:
            self.pending = False
            raise KeyboardInterrupt


@contextmanager
def interrupts_held() -> Iterator[HeldInterrupt]:
    """Hold back Ctrl-C during a short step, after which the caller delivers it; only in the main thread."""
    held = HeldInterrupt()
    if threading.current_thread() is not threading.main_thread():
        yield held
        return

    def note(_number: int, _frame: FrameType | None) -> None:
        held.pending = True

    before = {number: signal.signal(number, note) for number in _ENDINGS if not _is_ignored(number)}
    try:
        yield held
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def end_in_good_order() -> None:
    """Let SIGTERM and SIGHUP clean up like Ctrl-C, and leave nothing half-started."""
    for number in _ENDINGS:
        if not _is_ignored(number):
            signal.signal(number, signal.default_int_handler)


def _is_ignored(number: signal.Signals) -> bool:
    """Whether this process does not end at that signal, as under nohup."""
    return signal.getsignal(number) is signal.SIG_IGN
