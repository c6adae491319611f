"""One notice when a batch of futures is done, successfully or not."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from ..protocol.durations import spoken
from ..protocol.errors import GPUClusterError, refused_field
from ..protocol.plain_text import counted, printable
from .background import background_loop

if TYPE_CHECKING:
    from .control import AsyncControl

logger = logging.getLogger("gpucluster.client")

LONGEST_TITLE = 60
_WORDS = {"error": "failed", "cancelled": "cancelled", "lost": "lost"}


class Batch:
    """Futures whose end is announced."""

    def __init__(self, control: AsyncControl, id: str, futures: list[Any], title: str | None) -> None:
        self._control = control
        self._id = id
        self._title = printable(title or "Your computation", LONGEST_TITLE)
        self._began = time.monotonic()
        self._number = self._left = len(futures)
        self._ends: Counter[str] = Counter()
        self._lock = threading.Lock()
        for future in futures:
            future.add_done_callback(self._done)

    def _done(self, future: Any) -> None:
        """Count an ended future. Dask calls this in a separate thread."""
        with self._lock:
            self._ends[future.status] += 1
            self._left -= 1
            if self._left:
                return
        telling = self._control.tell(self._id, self._message(), "not_done" if self._bad() else "done")
        announcing = asyncio.run_coroutine_threadsafe(telling, background_loop())
        try:
            announcing.result()
        except GPUClusterError as error:
            logger.warning("Could not send the notification for a batch: %s", error.message)

    def _bad(self) -> list[str]:
        return [f"{number:,} {_WORDS[end]}" for end, number in self._ends.items() if end in _WORDS]

    def _message(self) -> str:
        took, bad = spoken(time.monotonic() - self._began), self._bad()
        if not bad:
            return f"{self._title}: done after {took} ({counted(self._number, 'task')})."
        return f"{self._title}: ended after {took}, {' and '.join(bad)} of {counted(self._number, 'task')}."


def futures_in(found: Any) -> list[Any]:
    """Return the futures of a persisted Dask collection, of a list of futures, or of one future."""
    from distributed import Future, futures_of

    items = [found] if isinstance(found, Future) or not isinstance(found, (list, tuple, set, dict)) else found
    several = list(items.values()) if isinstance(items, dict) else list(items)
    futures: list[Any] = list(dict.fromkeys(futures_of(several)))
    if not futures:
        raise refused_field("futures", "must be a future, several of them, or a persisted collection")
    return futures
