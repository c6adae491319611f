"""Stop growing trees that nobody waits for any more."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from functools import partial
from typing import Any

from sklearn.utils import check_random_state

from ...dask_internals.worker_state import is_cancelled
from ..arrays import Array, PlainModel

STEP_SECONDS = 0.2
"""Growing so long, a forest looks whether it is still wanted."""


def grow_trees(
    forest: Callable[..., Any],
    options: dict[str, Any],
    X: Array,
    y: Array,
    weights: Array | None,
    raise_if_unwanted: Callable[[], None],
) -> tuple[list[PlainModel], Array | None]:
    """Grow the trees of a forest of scikit-learn, and look now and then whether they are still wanted.

    Dask cannot end a task that runs, and growing may take hours.

    Parameters
    ----------
    forest : callable
        Class of the forest.
    options : dict
        Its parameters.
    X, y, weights
        What it is fitted to.
    raise_if_unwanted : callable
        Raises where nobody waits for the trees any more.

    Returns
    -------
    trees : list
        The same ones as if they had been grown at once.
    classes
        In the order of the trees' classes; ``None`` for a regression.
    """
    from joblib import effective_n_jobs

    # Forests that draw from one generator, one after the other, draw what one forest of all trees would.
    random_state = check_random_state(options["random_state"])
    trees: list[PlainModel] = []
    classes = None
    step = int(effective_n_jobs(options["n_jobs"]))
    while len(trees) < options["n_estimators"]:
        raise_if_unwanted()
        begun = time.monotonic()
        step = min(step, options["n_estimators"] - len(trees))
        fitted = forest(**(options | {"n_estimators": step, "random_state": random_state})).fit(X, y, weights)
        trees += fitted.estimators_
        classes = getattr(fitted, "classes_", None)
        if time.monotonic() - begun < STEP_SECONDS:
            step *= 2
    return trees, classes


def raise_if_task_cancelled() -> Callable[[], None]:
    """Return what raises ``CancelledError``, which nobody will see, once the task that runs here was cancelled."""
    from distributed import get_worker

    try:
        worker = get_worker()
        cancelled: Callable[[], bool] = partial(is_cancelled, worker, worker.get_current_task())
    except (ValueError, AttributeError):  # not in a task
        return lambda: None

    def check() -> None:
        if cancelled():
            raise CancelledError("The forest is not wanted any more.")

    return check
