"""Stop growing trees that nobody waits for any more."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any


def grown(forest: Any, X: Any, y: Any, weights: Any) -> Any:
    """Fit a forest of scikit-learn; in a Dask task, no further tree is begun once the task is cancelled.

    Dask cannot end a task that runs, and the trees of one block are one task, which may take hours.

    Raises
    ------
    CancelledError
        The task was cancelled; nobody will see this.
    """
    cancelled = _cancelled()
    if cancelled is None:
        return forest.fit(X, y, weights)
    kind = type(forest.estimator)
    # Forests copy this tree for each of theirs, and call its `_fit`. Should that ever be called otherwise, trees would
    # grow on as they do without all this.
    forest.estimator = _watched(kind, cancelled)()
    try:
        forest.fit(X, y, weights)
    finally:
        forest.estimator = kind()
    for tree in forest.estimators_:
        tree.__class__ = kind
    return forest


def _cancelled() -> Callable[[], bool] | None:
    """Return what tells whether the task that runs here was cancelled; ``None`` outside of tasks."""
    from distributed import get_worker

    try:
        worker = get_worker()
        key = worker.get_current_task()
    except (ValueError, AttributeError):
        return None

    def cancelled() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state == "cancelled"

    return cancelled


def _watched(kind: Any, cancelled: Callable[[], bool]) -> Any:
    """Return a kind of tree that does not grow once that is so."""

    def _fit(self: Any, *arguments: Any, **options: Any) -> Any:
        if cancelled():
            raise CancelledError("The forest is not wanted any more.")
        return kind._fit(self, *arguments, **options)

    return type(kind.__name__, (kind,), {"_fit": _fit, "__init__": kind.__init__})
