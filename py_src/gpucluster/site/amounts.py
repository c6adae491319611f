"""What a limit counts, in words: ``2 workers``, ``7200 seconds (2 h)``, ``1-00:00:00``."""

from __future__ import annotations

from ..protocol.durations import spoken
from ..protocol.plain_text import counted

_NOUNS = {
    "n_workers": "worker", "threads_per_worker": "thread", "scheduler_cores": "core", "idle_timeout_seconds": "second",
}  # fmt: skip


def amount(field: str, limit: int) -> str:
    """Return a limit of a field with its noun."""
    if field != "idle_timeout_seconds" or limit < 60:
        return counted(limit, _NOUNS[field])
    for unit, seconds in (("h", 3600), ("min", 60)):
        if limit % seconds == 0:
            return f"{limit} seconds ({limit // seconds} {unit})"
    return f"{limit} seconds ({spoken(limit)})"
