"""Grow the trees of a forest, each on a random sample of all rows.

Every rank gets the rows of all others and grows its share of the trees, with the seeds that scikit-learn would have
drawn for these. Such a forest is scikit-learn's, tree by tree, whatever the blocks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from copy import deepcopy
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state, get_tags

from ...dask_internals.workers.worker_state import is_cancelled
from ..arrays import Array, PlainModel, RandomState, to_numpy
from ..checks import not_finite
from ..errors import InvalidData, InvalidParameter
from ..labels import ClassWeight, checked_classes, classes_of, codes_of, labels_of, merge_classes
from ..rows.block import Block, Rows
from ..rows.shard import Shard
from ..trees import with_all_classes
from .replica import all_rows

STEP_SECONDS = 0.2  # How long trees grow between two checks for cancellation.
LARGEST_SEED = np.iinfo(np.int32).max  # As in scikit-learn, whose forests draw one seed below it for each tree.


def raise_if_task_cancelled() -> Callable[[], None]:
    """Return a check that raises ``CancelledError`` once the current task was cancelled; Dask drops the error."""
    from distributed import get_worker

    try:
        worker = get_worker()
        cancelled: Callable[[], bool] = partial(is_cancelled, worker, worker.get_current_task())
    except (ValueError, AttributeError):  # Not in a task.
        return lambda: None

    def check() -> None:
        if cancelled():
            raise CancelledError("The forest is no longer needed.")

    return check


class Grown(NamedTuple):
    """Trees, and the classes they know."""

    trees: list[PlainModel]
    classes: Array | None  # All classes, sorted; ``None`` for a regression.


def all_classes(rows: Rows) -> Array:
    """Return the classes of all rows, sorted."""
    return checked_classes(rows.total(classes_of, op=merge_classes))


def grow_share(
    rows: Rows, *, options: dict[str, Any], classify: bool, classes: Array | None = None, threads: bool = False
) -> Grown:
    """Grow this rank's share of the trees, on the rows of all ranks.

    ``classes`` are all classes, where the rows may lack some. ``threads``: use all threads of this rank, unless
    ``n_jobs`` is set.
    """
    assert isinstance(rows, Shard)
    comm = rows.communicator
    if not classify:
        rows.total(check_numbers)
    elif classes is None:
        classes = all_classes(rows)
    everything = all_rows(
        rows,
        None if classes is None else lambda block: codes_of(labels_of(block), classes),
        missing=takes_missing(options, classify),
    )
    if threads and options["n_jobs"] is None:
        options = options | {"n_jobs": rows.n_threads}
    counts = trees_of(options["n_estimators"], comm.allgather(rows.n_threads))
    random_state = np.random.RandomState()
    random_state.set_state(rows.broadcast(tuple(check_random_state(options["random_state"]).get_state())))
    random_state.randint(
        LARGEST_SEED, size=sum(counts[: comm.rank])
    )  # The seeds of the trees of ranks before this one.
    options = options | {"n_estimators": counts[comm.rank], "random_state": random_state}
    if classes is not None:
        options["class_weight"] = weights_of_codes(options["class_weight"], classes)
    assert everything.y is not None
    trees = grown(options, everything.X, everything.y, everything.weights, classes, comm.raise_if_cancelled)
    return Grown(trees, classes)


def grow_forest(rows: Rows, *, options: dict[str, Any], classify: bool) -> Grown:
    """Grow a forest on all ranks, each rank its share; all get all trees."""
    assert isinstance(rows, Shard)
    mine = grow_share(rows, options=options, classify=classify)
    return Grown([tree for part in rows.communicator.allgather(mine.trees) for tree in part], mine.classes)


def takes_missing(options: dict[str, Any], classify: bool) -> bool:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    forest = (RandomForestClassifier if classify else RandomForestRegressor)(criterion=options["criterion"])
    return options["monotonic_cst"] is None and bool(get_tags(forest).input_tags.allow_nan)


def next_state(random_state: RandomState, n_trees: int) -> np.random.RandomState:
    """Return a copy of a generator for a forest, and draw from the original what the forest will draw."""
    given = check_random_state(random_state)
    begin = deepcopy(given)
    given.randint(LARGEST_SEED, size=n_trees)
    return begin


def trees_of(n_trees: int, shares: list[int]) -> list[int]:
    """Divide trees in proportion to the shares; the rest goes to the largest remainders.

    Each positive share gets at least one tree where there are enough.
    """
    given = np.array(shares, dtype=np.float64)
    filled = given > 0
    least = filled.astype(int) if n_trees >= filled.sum() else np.zeros(len(given), dtype=int)
    exact = given / given.sum() * (n_trees - least.sum())
    trees = np.floor(exact).astype(int) + least
    for number in np.argsort(np.floor(exact) - exact, kind="stable")[: n_trees - trees.sum()]:
        trees[number] += 1
    return [int(count) for count in trees]


def check_numbers(block: Block) -> None:
    """Refuse targets of a regression that are not finite numbers."""
    assert block.y is not None
    if block.y.dtype.kind not in "biuf":
        raise InvalidData("y: numbers are needed. For classes use a classifier, such as RandomForestClassifier.")
    if not np.isfinite(to_numpy(block.y)).all():
        raise not_finite("y")


def weights_of_codes(wanted: ClassWeight, classes: Array) -> ClassWeight:
    if wanted is None or (isinstance(wanted, str) and wanted in {"balanced", "balanced_subsample"}):
        return wanted
    if not isinstance(wanted, dict):
        raise InvalidParameter(
            f"class_weight: must be 'balanced', 'balanced_subsample' or a dictionary, not {wanted!r}."
        )
    known = {label: code for code, label in enumerate(classes.tolist())}
    unknown = [label for label in wanted if label not in known]
    if unknown:
        raise InvalidParameter(f"class_weight: there are no rows of the classes {unknown}.")
    return {known[label]: weight for label, weight in wanted.items()}


def grown(
    options: dict[str, Any],
    X: Array,
    y: Array,
    weights: Array | None,
    classes: Array | None,
    raise_if_unwanted: Callable[[], None],
) -> list[PlainModel]:
    """Grow the trees of one scikit-learn forest on rows in this process; y holds codes where there are classes.

    Checks regularly whether they are still wanted: Dask cannot end a running task, and growing may take hours.
    """
    from joblib import effective_n_jobs
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    forest = RandomForestRegressor if classes is None else RandomForestClassifier
    if classes is None and y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    # Small forests that draw from one generator, one after the other, draw what one forest of all trees would.
    random_state = check_random_state(options["random_state"])
    trees: list[PlainModel] = []
    step = int(effective_n_jobs(options["n_jobs"]))
    while len(trees) < options["n_estimators"]:
        raise_if_unwanted()
        begun = time.monotonic()
        step = min(step, options["n_estimators"] - len(trees))
        fitted = forest(**(options | {"n_estimators": step, "random_state": random_state})).fit(X, y, weights)
        trees += fitted.estimators_
        if time.monotonic() - begun < STEP_SECONDS:
            step *= 2
    if classes is None or not trees:
        return trees
    return [with_all_classes(tree, fitted.classes_, len(classes)) for tree in trees]
