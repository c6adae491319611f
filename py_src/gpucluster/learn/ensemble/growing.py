"""Grow the trees of a forest, each on a random sample of all rows.

Every rank gets the rows of all others and grows its share of the trees, with the seeds that scikit-learn would have
drawn for these. Such a forest is scikit-learn's, tree by tree, whatever the blocks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state, get_tags

from ...dask_internals.machine import memory_bytes
from ...dask_internals.scheduler_information import known_workers
from ...dask_internals.workers.worker_state import is_cancelled
from ..arrays import Array, PlainModel, RandomState, to_numpy
from ..checks import no_rows, not_finite
from ..errors import InvalidData, InvalidParameter
from ..labels import ClassWeight, checked_classes, classes_of, codes_of, labels_of, merge_classes
from ..model_selection import train_test_split
from ..rows.block import Block, Rows
from ..rows.placement import block_bytes
from ..rows.shard import Shard
from ..rows.table import Table
from ..rows.waiting import current_client
from ..trees import with_all_classes

STEP_SECONDS = 0.2  # How long trees grow between two checks for cancellation.
LARGEST_SEED = np.iinfo(np.int32).max  # As in scikit-learn, whose forests draw one seed below it for each tree.
REPLICA_SHARE = 0.3  # Of the smallest worker's memory for all rows; its own blocks and the trees need the rest.


def all_rows(shard: Shard, target: Callable[[Block], Array] | None = None, *, missing: bool = False) -> Block:
    """Return the rows of all ranks as one block in their order, float32; each block goes to every rank once.

    ``target(block)`` replaces a block's y; ``missing`` allows NaN. Refuses infinity, and tables without rows.
    """
    comm = shard.communicator
    mine = {block.number: block for block in shard.blocks}
    places = [
        place
        for part in comm.allgather([(block.number, len(block), comm.rank) for block in shard.blocks])
        for place in part
    ]
    n_rows = sum(length for _, length, _ in places)
    if not n_rows:
        raise no_rows()
    X: Array | None = None
    targets: list[Array] = []
    weights: list[Array] = []
    start = 0
    for number, length, owner in sorted(places):
        message = None
        if (block := mine.get(number)) is not None:
            y = target(block) if target else to_numpy(block.y)
            message = _single(block.X), y, None if block.weights is None else to_numpy(block.weights)
        rows, y, weight = comm.broadcast(message, owner)
        if X is None:
            X = np.empty((n_rows, rows.shape[1]), np.float32)
        X[start : start + length] = rows
        start += length
        targets.append(y)
        weights += [] if weight is None else [weight]
    assert X is not None
    if np.isinf(X).any() if missing else not np.isfinite(X).all():
        raise not_finite(missing=missing)
    return Block(0, 0, X, np.concatenate(targets), np.concatenate(weights) if weights else None)


def fitting_table(table: Table, seed: int) -> Table:
    """Return the table, or a random sample that fits into the memory of every worker, as float32.

    A persisted table keeps its type, because float32 would be a second copy.
    """
    client = current_client()
    if client is None:
        smallest = float(memory_bytes())
    else:
        smallest = min((info["memory_limit"] or np.inf for info in known_workers(client).values()), default=np.inf)
    if np.isfinite(smallest):
        # X is sent as float32.
        needed = sum(block_bytes(table)) * (4 / table.X.dtype.itemsize)
        share = REPLICA_SHARE * smallest / max(needed, 1)
        if share < 1:
            table = _thinned(table.with_known_lengths(), share, seed)
    lazy: Any = table.X
    return table if table.is_persisted() else replace(table, X=lazy.map_blocks(_single, dtype=np.float32))


def _thinned(table: Table, share: float, seed: int) -> Table:
    kept = max(1, int(share * (table.n_rows or 0)))
    parts: list[Any] = train_test_split(*table.collections, train_size=kept, random_state=seed)
    chosen = iter(parts[::2])
    return replace(table, **{name: next(chosen) for name in ("X", "y", "weights") if getattr(table, name) is not None})


def _single(X: Array) -> Array:
    # Numbers that are too large become infinite, which is refused.
    with np.errstate(over="ignore"):
        return to_numpy(X).astype(np.float32, copy=False)


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
            raise CancelledError("The forest was cancelled.")

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
    random_state.randint(LARGEST_SEED, size=sum(counts[: comm.rank]))  # The seeds of the earlier ranks' trees.
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
    """Divide trees in proportion to the shares, by largest remainders; one or more for each positive share."""
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
        raise InvalidData("y: must be numbers. For classes, use a classifier, such as RandomForestClassifier.")
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
        raise InvalidParameter(f"class_weight: y has no rows of the classes {unknown}.")
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
