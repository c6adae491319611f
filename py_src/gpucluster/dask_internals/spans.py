"""What a scheduler remembers of computations that are over, which is more with each of them."""

from __future__ import annotations

import time
from typing import Any

SECONDS = 600.0
"""So long it is kept: workers tell of a computation for a while after its end, and a page of the dashboard shows it."""


def forget_old_spans(scheduler: Any) -> None:
    """Forget what spans tell of computations that have long been over.

    Dask makes spans without a name of their own for whatever is computed, and keeps each as long as the scheduler
    lives, with all groups of tasks that were ever in it: some kB for each computation. A span that somebody has named
    is left alone. Relies on the extension ``spans`` of a scheduler: ``spans``, ``root_spans``, ``spans_search_by_name``
    and ``spans_search_by_tag``, on ``Span.groups``, ``.enqueued`` and ``.id``, on ``TaskGroup.stop`` and ``.name``, and
    on ``Scheduler.task_groups`` (2023.8).
    """
    known = scheduler.extensions.get("spans")
    unnamed = [] if known is None else known.spans_search_by_name.get(("default",), [])
    latest = time.time() - SECONDS
    gone = set()
    for span in unnamed:
        if span.enqueued < latest:
            span_groups = {group for group in span.groups if group.stop >= latest or _is_known(scheduler, group)}
            if not span_groups:
                gone.add(span.id)  # Not emptied: Dask asks a span when the last of its groups ended.
            elif len(span_groups) < len(span.groups):
                span.groups = span_groups
    for spans in (unnamed, known.root_spans, known.spans_search_by_tag["default"]) if gone else ():
        spans[:] = [span for span in spans if span.id not in gone]
    for id in gone:
        known.spans.pop(id, None)


def _is_known(scheduler: Any, group: Any) -> bool:
    """Return whether the scheduler still has tasks of this group, which may be computed again."""
    return scheduler.task_groups.get(group.name) is group
