"""Grow the trees of a forest on many blocks of rows, each tree on the rows of one block.

This is what forests on Dask usually do: a block with a share of the rows grows that share of the trees. A tree never
sees the rows of other blocks, so blocks must be alike: where the rows are sorted by class or by time, each tree knows
only some classes or times, and the forest is a worse one than scikit-learn's. `shuffled` mixes the rows first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, PlainModel, RandomState, to_numpy
from ..checks import no_rows, not_finite
from ..errors import InvalidData, InvalidParameter
from ..labels import ClassWeight, checked_classes, codes_of, labels_of, merge_all_classes
from ..rows.block import Block, Rows
from ..trees import with_all_classes


class Plan(NamedTuple):
    """What each block grows."""

    options: dict[str, Any]
    """Of scikit-learn's forest."""
    trees: list[int]
    """Number of trees of each block."""
    seeds: list[RandomState]
    """``random_state`` of each block."""
    classes: Array | None
    """All classes, sorted; ``None`` for a regression."""
    class_weights: Array | None
    """Weight of each class, or ``None``."""


class BlockSummary(NamedTuple):
    """What is in a block."""

    n_rows: int
    classes: Array | None
    weights: Array | None
    """Summed weights of the rows of each class."""


def grow_forest(rows: Rows, *, options: dict[str, Any], classify: bool) -> tuple[list[Array], Any]:
    """Return the trees, and the classes (``None`` for a regression).

    Two passes: one over y, to agree on the classes and to count; one that grows. All trees come to the client, as they
    are the model.

    Parameters
    ----------
    rows : Rows
    options : dict
        Parameters of scikit-learn's forest.
    classify : bool
    """
    found: list[BlockSummary] = rows.map_blocks(_summary_of, classify)
    counts = [block.n_rows for block in found]
    if not sum(counts):
        raise no_rows()
    classes = weights = None
    if classify:
        classes = checked_classes(merge_all_classes(block.classes for block in found))
        weights = _class_weights(options["class_weight"], classes, found)
    trees = trees_per_block(options["n_estimators"], counts)
    plan = Plan(options, trees, _seeds(rows, options["random_state"], trees), classes, weights)
    grown: list[list[PlainModel]] = rows.map_blocks(_grow, plan)
    return [tree for part in grown for tree in part], classes


def _summary_of(block: Block, classify: bool) -> BlockSummary:
    if not classify:
        assert block.y is not None
        if block.y.dtype.kind not in "biuf":
            raise InvalidData("y: numbers are needed. For classes use a classifier, such as RandomForestClassifier.")
        if not np.isfinite(to_numpy(block.y)).all():
            raise not_finite("y")
        return BlockSummary(len(block), None, None)
    if len(block) == 0:
        return BlockSummary(0, None, None)
    classes, codes = np.unique(labels_of(block), return_inverse=True)
    weights = None if block.weights is None else to_numpy(block.weights)
    return BlockSummary(len(block), classes, np.bincount(codes, weights=weights))


def _class_weights(wanted: ClassWeight, classes: Array, found: list[BlockSummary]) -> Array | None:
    if wanted is None or wanted == "balanced_subsample":  # each bootstrap has its own, which scikit-learn finds
        return None
    if wanted == "balanced":
        totals = np.zeros(len(classes))
        for block in found:
            if block.classes is not None and block.weights is not None:
                totals[np.searchsorted(classes, block.classes)] += block.weights
        return totals.sum() / (len(classes) * totals)
    if not isinstance(wanted, dict):
        raise InvalidParameter(
            f"class_weight: must be 'balanced', 'balanced_subsample' or a dictionary, not {wanted!r}."
        )
    unknown = [label for label in wanted if label not in classes]
    if unknown:
        raise InvalidParameter(f"class_weight: there are no rows of the classes {unknown}.")
    return np.array([wanted.get(label, 1.0) for label in classes.tolist()])


def trees_per_block(n_trees: int, counts: list[int]) -> list[int]:
    """Return how many trees each block grows: in proportion to its rows, and at least one where there are rows.

    Raises
    ------
    InvalidParameter
        There are more blocks than trees.
    """
    filled = sum(count > 0 for count in counts)
    if n_trees < filled:
        raise InvalidParameter(
            f"n_estimators: {n_trees} trees cannot grow on {filled} blocks, as each needs one at least. Make fewer, "
            "larger blocks (X.rechunk, X.repartition), or grow more trees."
        )
    exact = np.array(counts) / sum(counts) * (n_trees - filled)
    trees = np.floor(exact).astype(int) + (np.array(counts) > 0)
    # What is left over goes to the largest remainders, of equal ones to the first.
    for number in np.argsort(np.floor(exact) - exact, kind="stable")[: n_trees - trees.sum()]:
        trees[number] += 1
    return [int(count) for count in trees]


def _seeds(rows: Rows, random_state: RandomState, trees: list[int]) -> list[RandomState]:
    """Return a seed for each block; a forest on one block is scikit-learn's own, tree by tree."""
    from sklearn.utils import check_random_state

    if sum(count > 0 for count in trees) == 1:
        return [random_state] * len(trees)
    drawn = check_random_state(random_state).randint(np.iinfo(np.int32).max, size=len(trees))
    return [int(seed) for seed in rows.broadcast(drawn)]


def _grow(block: Block, plan: Plan) -> list[PlainModel]:
    """Return the trees of one block."""
    if plan.trees[block.number] == 0:
        return []
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    from .cancellation import grow_trees

    X, y = to_numpy(block.X), to_numpy(block.y)
    if not np.isfinite(X).all():
        raise not_finite()
    weights = None if block.weights is None else to_numpy(block.weights)
    options = plan.options | {"n_estimators": plan.trees[block.number], "random_state": plan.seeds[block.number]}
    if plan.classes is None:
        y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
        return grow_trees(RandomForestRegressor, options, X, y, weights)[0]
    codes = codes_of(labels_of(block), plan.classes)
    if plan.class_weights is not None:
        options["class_weight"] = None
        weights = plan.class_weights[codes] * (1 if weights is None else weights)
    trees, classes = grow_trees(RandomForestClassifier, options, X, codes, weights)
    assert classes is not None
    return [with_all_classes(tree, classes, len(plan.classes)) for tree in trees]
