"""Grow each tree on the rows of one block, as forests on Dask usually do.

No row moves, and each block grows trees in proportion to its rows. A tree never sees the rows of other blocks, so
blocks must be alike: where the rows are sorted by class or by time, each tree knows only some classes or times, and the
forest is worse than scikit-learn's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from ..arrays import Array, PlainModel, to_numpy
from ..checks import no_rows, not_finite
from ..labels import ClassWeight, checked_classes, codes_of, labels_of, merge_all_classes
from ..rows.block import Block, Rows
from .growing import (
    LARGEST_SEED,
    Grown,
    check_numbers,
    grown,
    raise_if_task_cancelled,
    takes_missing,
    trees_of,
    weights_of_codes,
)


class Plan(NamedTuple):
    """The trees of each block, and how to grow them."""

    options: dict[str, Any]  # Of scikit-learn's forest.
    trees: list[int]  # Number of trees of each block.
    seeds: list[int]  # ``random_state`` of each block.
    classes: Array | None  # All classes, sorted; ``None`` for a regression.
    class_weights: Array | None  # Weight of each class, or ``None``.


class BlockSummary(NamedTuple):
    """Rows and classes of a block."""

    n_rows: int
    classes: Array | None
    weights: Array | None  # Summed weights of the rows of each class.


def grow_on_blocks(rows: Rows, *, options: dict[str, Any], classify: bool) -> Grown:
    """Grow each tree of scikit-learn's forest of these options on the rows of one block.

    Two passes: one over y, to find and count the classes; one to grow the trees, which all come to the client.
    """
    found: list[BlockSummary] = rows.map_blocks(_summary_of, classify)
    counts = [block.n_rows for block in found]
    if not sum(counts):
        raise no_rows()
    classes = weights = None
    if classify:
        classes = checked_classes(merge_all_classes(block.classes for block in found))
        weights = _class_weights(options["class_weight"], classes, found)
    seeds = rows.broadcast(check_random_state(options["random_state"]).randint(LARGEST_SEED, size=len(counts)))
    trees = trees_of(options["n_estimators"], counts)
    plan = Plan(options, trees, [int(seed) for seed in seeds], classes, weights)
    grown: list[list[PlainModel]] = rows.map_blocks(_grow, plan)
    return Grown([tree for part in grown for tree in part], classes)


def _summary_of(block: Block, classify: bool) -> BlockSummary:
    if not classify:
        check_numbers(block)
        return BlockSummary(len(block), None, None)
    if len(block) == 0:
        return BlockSummary(0, None, None)
    classes, codes = np.unique(labels_of(block), return_inverse=True)
    weights = None if block.weights is None else to_numpy(block.weights)
    return BlockSummary(len(block), classes, np.bincount(codes, weights=weights))


def _class_weights(wanted: ClassWeight, classes: Array, found: list[BlockSummary]) -> Array | None:
    by_code = weights_of_codes(wanted, classes)
    if by_code is None or by_code == "balanced_subsample":  # scikit-learn computes those of each bootstrap.
        return None
    if isinstance(by_code, str):
        totals = np.zeros(len(classes))
        for block in found:
            if block.classes is not None and block.weights is not None:
                totals[np.searchsorted(classes, block.classes)] += block.weights
        return totals.sum() / (len(classes) * totals)
    return np.array([by_code.get(code, 1.0) for code in range(len(classes))])


def _grow(block: Block, plan: Plan) -> list[PlainModel]:
    if plan.trees[block.number] == 0 or not len(block):
        return []
    X, y = to_numpy(block.X), to_numpy(block.y)
    missing = takes_missing(plan.options, plan.classes is not None)
    if np.isinf(X).any() if missing else not np.isfinite(X).all():
        raise not_finite(missing=missing)
    weights = None if block.weights is None else to_numpy(block.weights)
    options = plan.options | {"n_estimators": plan.trees[block.number], "random_state": plan.seeds[block.number]}
    if plan.classes is not None:
        y = codes_of(labels_of(block), plan.classes)
        if plan.class_weights is not None:
            options["class_weight"] = None
            weights = plan.class_weights[y] * (1 if weights is None else weights)
    return grown(options, X, y, weights, plan.classes, raise_if_task_cancelled())
