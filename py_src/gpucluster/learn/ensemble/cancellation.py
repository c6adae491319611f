"""Stop growing trees that nobody waits for any more."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from functools import partial
from typing import Any

from ...dask_internals.worker_state import is_cancelled
from ..arrays import Array, PlainModel

STEP_SECONDS = 0.2
"""Growing so long, a forest looks whether it is still wanted."""


def grow_trees(
    forest: Callable[..., Any], options: dict[str, Any], X: Array, y: Array, weights: Array | None
) -> tuple[list[PlainModel], Array | None]:
    """Grow the trees of a forest of scikit-learn; in a Dask task, no more are begun once the task is cancelled.

    Dask cannot end a task that runs, and the trees of one block are one task, which may take hours.

    Parameters
    ----------
    forest : callable
        Class of the forest.
    options : dict
        Its parameters.
    X, y, weights
        What it is fitted to.

    Returns
    -------
    trees : list
        The same ones as if they had been grown at once.
    classes
        In the order of the trees' classes; ``None`` for a regression.

    Raises
    ------
    CancelledError
        The task was cancelled; nobody will see this.
    """
    from joblib import effective_n_jobs
    from sklearn.utils import check_random_state

    cancelled = _cancelled()
    count = options["n_estimators"]
    if cancelled is None:
        return _trees(forest(**options).fit(X, y, weights))
    # Forests that draw from one generator, one after the other, draw what one forest of all trees would.
    random_state = check_random_state(options["random_state"])
    trees: list[PlainModel] = []
    classes = None
    step = int(effective_n_jobs(options["n_jobs"]))
    while len(trees) < count:
        if cancelled():
            raise CancelledError("The forest is not wanted any more.")
        begun = time.monotonic()
        step = min(step, count - len(trees))
        more, classes = _trees(
            forest(**(options | {"n_estimators": step, "random_state": random_state})).fit(X, y, weights)
        )
        trees += more
        if time.monotonic() - begun < STEP_SECONDS:
            step *= 2
    return trees, classes


def _trees(fitted: PlainModel) -> tuple[list[PlainModel], Array | None]:
    return list(fitted.estimators_), getattr(fitted, "classes_", None)


def _cancelled() -> Callable[[], bool] | None:
    """Return what tells whether the task that runs here was cancelled; ``None`` outside of tasks."""
    from distributed import get_worker

    try:
        worker = get_worker()
        key = worker.get_current_task()
    except (ValueError, AttributeError):
        return None

    return partial(is_cancelled, worker, key)
