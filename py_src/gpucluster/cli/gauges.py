"""Gauges in a terminal, of a running cluster or of a recording, redrawn in place."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from argparse import Namespace
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any, Self, TextIO

from ..client.control import Control
from ..gauges.text import FIGURES, Figure, cluster_lines, moment_text, ranked, worker_lines
from ..protocol.errors import ClusterNotFound, GPUClusterError, InvalidRequest
from ..protocol.models import ClusterModel, ClusterState
from ..protocol.recordings import RecordedSession
from ..protocol.telemetry import TelemetrySample
from ..recordings.reading import position_text, times_of
from . import actions, tables
from .arguments import shown, whole_number

# Escape sequences of all common terminals.
_OPEN = "\x1b[?1049h\x1b[?25l\x1b[?7l"  # Alternate screen, no cursor, no line wrap.
_CLOSE = "\x1b[?7h\x1b[?25h\x1b[?1049l"
_TOP = "\x1b[H"
_REST_OF_LINE = "\x1b[K"
_REST_OF_PAGE = "\x1b[J"
_PAGE_LINES = 60


class Screen:
    """Shows lines in place of the previous ones. On leaving the block, the last ones are printed.

    Without a suitable terminal, nothing is drawn before. Ctrl-Z restores the terminal until the program continues.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stdout
        self.live = self.stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._last: Sequence[str] = ()
        self._before: Any = None

    @property
    def height(self) -> int:
        """Number of visible lines now; without a terminal, enough for a page."""
        if self.live:
            with suppress(OSError):
                return os.get_terminal_size(self.stream.fileno()).lines or _PAGE_LINES
        return _PAGE_LINES

    def draw(self, lines: Sequence[str]) -> None:
        """Show these lines, cut to the page."""
        self._last = lines
        if self.live:
            self.stream.write(self._page())
            self.stream.flush()

    def __enter__(self) -> Self:
        if self.live:
            self.stream.write(_OPEN)
            self.stream.flush()
            if threading.current_thread() is threading.main_thread():
                self._before = signal.signal(signal.SIGTSTP, self._pause)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGTSTP, self._before)
        if self.live:
            self.stream.write(_CLOSE)
        for line in self._last:
            self.stream.write(f"{line}\n")
        self.stream.flush()

    def _page(self) -> str:
        page = "\r\n".join(f"{line}{_REST_OF_LINE}" for line in self._last[: self.height])
        return f"{_TOP}{page}{_REST_OF_PAGE}"

    def _pause(self, number: int, _frame: FrameType | None) -> None:
        self._write_now(_CLOSE)
        signal.signal(number, signal.SIG_DFL)
        # To this thread, so that it stops and continues here. An orphaned process group does not stop.
        signal.pthread_kill(threading.get_ident(), number)
        signal.signal(number, self._pause)
        self._write_now(_OPEN + self._page())

    def _write_now(self, text: str) -> None:
        # The signal may have interrupted a write, and the stream would refuse another one.
        with suppress(OSError):
            os.write(self.stream.fileno(), text.encode(self.stream.encoding, "replace"))


LOOK_SECONDS = 1.0
MOST_RANKED = 10_000


@dataclass(frozen=True)
class Ranking:
    """Selection of the workers with the highest values of a figure."""

    number: int
    by: Figure

    @classmethod
    def asked_for(cls, found: Namespace) -> Ranking | None:
        """Return the typed selection; ``None``: all workers, unsorted. Raises `InvalidRequest`."""
        by, top = getattr(found, "by", None), getattr(found, "top", None)
        if by is None and top is None:
            return None
        if by is not None and by not in FIGURES:
            raise InvalidRequest(f"--by: must be one of {', '.join(FIGURES)}, not '{shown(by)}'.")
        return cls(MOST_RANKED if top is None else whole_number(top, "--top", 1, MOST_RANKED), by or "memory")

    def places(self, sample: TelemetrySample) -> list[int]:
        """Return their positions in a sample, highest value first."""
        return ranked(sample, self.by)[: self.number]


def now(control: Control, found: Namespace) -> tuple[ClusterModel, TelemetrySample]:
    """Return the named or the only cluster, and its newest sample."""
    model = actions.named(control, found)
    return model, control.telemetry(model.id)


def watch(control: Control, found: Namespace, screen: Screen) -> int:
    """Draw the gauges of a cluster until Ctrl-C or its end. Returns 1 if it failed meanwhile, else 0."""
    model, sample = now(control, found)
    ranking = Ranking.asked_for(found)
    with screen, suppress(KeyboardInterrupt):  # Ctrl-C ends it.
        screen.draw(cluster_page(model, sample, screen.height, ranking))
        while True:
            time.sleep(LOOK_SECONDS)
            says = []
            try:
                seen = control.get(model.id)
                if seen.state.ended:
                    screen.draw([*_ending(seen), *_last(sample, screen.height)])
                    return int(seen.state is ClusterState.FAILED)
                model = seen
                sample = control.telemetry(model.id)
            except ClusterNotFound:
                screen.draw([f"{model.name}: removed", *_last(sample, screen.height)])
                return 0
            except GPUClusterError as error:  # It is busy or ending; try again.
                says = [error.message]
            screen.draw([*says, *cluster_page(model, sample, screen.height - len(says), ranking)])
    return 0


def _ending(model: ClusterModel) -> list[str]:
    return [f"{model.name}: {model.state.value}", *([f"  {tables.one_line(model.reason)}"] if model.reason else [])]


def _last(sample: TelemetrySample, height: int) -> list[str]:
    lines = [f"  State at {moment_text(sample.at)}:", *cluster_lines(sample)]
    return lines + worker_lines(sample, height - len(lines) - 2)


def play(session: RecordedSession, speed: float, screen: Screen) -> None:
    """Draw the gauges of a recording at `speed` times its speed; without a terminal, only its end."""
    times = times_of(session.samples)
    last = len(times) - 1
    with screen, suppress(KeyboardInterrupt):
        began = time.monotonic()
        place = 0 if screen.live else last
        while True:
            screen.draw(recorded_page(session, place, times, screen.height))
            if place == last:
                return
            time.sleep(max(0.0, began + times[place + 1] / speed - time.monotonic()))
            # A slow terminal skips samples.
            position = (time.monotonic() - began) * speed
            place = max(place + 1, bisect_right(times, position) - 1)


def cluster_page(
    model: ClusterModel, sample: TelemetrySample, height: int, ranking: Ranking | None = None
) -> list[str]:
    """Return the gauges of a cluster in at most `height` lines."""
    lines = [tables.worker_line(model), *cluster_lines(sample)]
    places = ranking.places(sample) if ranking is not None else None
    return lines + worker_lines(sample, height - len(lines), places)


def recorded_page(session: RecordedSession, place: int, times: Sequence[float], height: int) -> list[str]:
    """Return the gauges at one place of a recording, below its label."""
    sample = session.samples[place]
    lines = [
        f"{session.recording.title}   {position_text(times[place])} / {position_text(times[-1])}",
        f"  {session.label}",
        *([f"  {session.message}"] if session.message else []),
        *cluster_lines(sample),
    ]
    return lines + worker_lines(sample, height - len(lines))
