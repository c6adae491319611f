"""What is worth telling once: kept in the cluster's model, so that whoever looks next is told, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..protocol.plain_text import printable
from ..protocol.telemetry import ActivityEntry
from ..registry.moments import now

KEPT = 10
LONGEST = 140
"""JupyterLab's own bound for notices."""
KINDS = frozenset({"worker_died", "spill", "pause", "gpu", "done", "not_done", "message", "stopped"})


class News:
    """The last news of one cluster.

    Parameters
    ----------
    publish : callable
        Given all of them whenever there is another one.
    """

    def __init__(self, publish: Callable[[list[ActivityEntry]], object]) -> None:
        self._publish = publish
        self._entries: Sequence[ActivityEntry] = ()

    def add(self, kind: str, message: str, by: str | None = None) -> ActivityEntry:
        """Add a piece of news; returns it, short enough for a notice."""
        entry = ActivityEntry(at=now(), kind=kind, by=by, message=printable(message, LONGEST))
        self._entries = (*self._entries, entry)[-KEPT:]
        self._publish(list(self._entries))
        return entry
