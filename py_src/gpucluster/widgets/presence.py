"""Whether somebody looks at a widget, and whether the next message would pile up."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_SECONDS = 30.0
"""Views that have not answered for so long are gone: the browser was closed."""
UNANSWERED = 12
"""Messages that may be under way to a front end; views answer every fifth second."""
UNANSWERED_WHILE_BUSY = 60
"""The same while the kernel runs a cell: most kernels then read no answers."""
PROBE_SECONDS = 10.0
"""How often a front end that does not keep up gets one message all the same."""
MOST_VIEWS = 100


class Presence:
    """What the views of one widget have said, and what they have left unsaid.

    Parameters
    ----------
    clock : callable
        Returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._views: dict[str, bool] = {}
        self._expected = False
        self._seen = clock()
        self._sent = 0.0
        self._unanswered = 0

    def displayed(self) -> None:
        """Note that a view will open: a busy kernel may hear of it only much later."""
        self._expected = True
        self.touch()

    def opened(self, view: str, keeps: bool) -> None:
        """Note a view. ``keeps``: its output can be replaced without drawing the view anew."""
        if len(self._views) < MOST_VIEWS:
            self._views[view] = keeps
        self._expected = False
        self.answered()

    def closed(self, view: str) -> None:
        """Note that a view is gone."""
        self._views.pop(view, None)

    def touch(self) -> None:
        """Count patience from now on."""
        self._seen = self._clock()

    def answered(self) -> None:
        """Note that a view has drawn what it was sent."""
        self._unanswered = 0
        self.touch()

    def sent(self) -> None:
        """Note that a message went out."""
        self._unanswered += 1
        self._sent = self._clock()

    def may_send(self, *, busy: bool) -> bool:
        """Return whether another message would pile up on none, or on few."""
        limit = UNANSWERED_WHILE_BUSY if busy else UNANSWERED
        return self._unanswered < limit or self._clock() - self._sent >= PROBE_SECONDS

    def looked_at(self, *, busy: bool) -> bool:
        """Return whether a view is open or about to be."""
        if not self._views and not self._expected:
            return False
        return busy or self._clock() - self._seen < PATIENCE_SECONDS

    @property
    def keeps(self) -> bool:
        """Whether some view has said that its output can be replaced under it."""
        return any(self._views.values())
