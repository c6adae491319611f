"""Classes: the different labels in y, the same for all blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, array_namespace_of, to_numpy
from .checks import no_rows
from .errors import InvalidData
from .rows.block import Block

ClassWeight: TypeAlias = Mapping[Any, float] | str | None
"""What the rows of each class weigh; a name such as ``balanced``; ``None`` where all weigh the same."""


def labels_of(block: Block, name: str = "y") -> Array:
    """Return the labels of a block's rows as a NumPy array of shape (n_rows,); from a GPU they are copied."""
    assert block.y is not None
    return flat_labels(block.y, name)


def flat_labels(y: Array, name: str = "y") -> Array:
    """Return labels as a NumPy array of shape (n_rows,).

    Raises
    ------
    InvalidData
        There are several columns, or labels are missing.
    """
    labels = to_numpy(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise InvalidData(f"{name}: one label per row is needed, not {labels.shape[1]} columns.")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise InvalidData(f"{name}: contains NaN or infinity. Drop such rows, or fill them with a label.")
    if labels.dtype.kind == "O":
        import pandas as pd

        missing = int(pd.isna(labels).sum())
        if missing:
            raise InvalidData(f"{name}: {missing:,} labels are missing. Drop such rows, or fill them with a label.")
    return labels


def classes_of(block: Block) -> Array | None:
    """Return the different labels of a block, sorted; ``None`` for a block without rows."""
    labels = labels_of(block)
    return np.unique(labels) if len(labels) else None


@overload
def merge_classes(one: Array, other: Array | None) -> Array: ...
@overload
def merge_classes(one: Array | None, other: Array) -> Array: ...
@overload
def merge_classes(one: Array | None, other: Array | None) -> Array | None: ...
def merge_classes(one: Array | None, other: Array | None) -> Array | None:
    """Return the classes that are in one or the other block, sorted; ``None`` stands for none."""
    if one is None or other is None:
        return other if one is None else one
    try:
        return np.union1d(one, other)
    except TypeError:
        raise InvalidData("y: holds both numbers and strings. Make all labels one kind, y.astype(str).") from None


def merge_all_classes(parts: Iterable[Array | None]) -> Array | None:
    """Return the classes that are in any of some blocks, sorted."""
    found: Array | None = None
    for part in parts:
        found = merge_classes(found, part)
    return found


def checked_classes(classes: Array | None) -> Array:
    """Return the classes of all rows, if they can be classes.

    Raises
    ------
    InvalidData
        There are no rows, or y holds measurements.
    """
    if classes is None:
        raise no_rows("y")
    if classes.dtype.kind == "f" and (classes != np.round(classes)).any():
        raise InvalidData(
            "Unknown label type: continuous. y: holds fractions, but a classifier needs classes. Use a regressor, or "
            "make classes of it, for example y > 0."
        )
    return classes


def known_classes(given: ArrayLike | None, before: Array | None) -> Array:
    """Return all classes that ``partial_fit`` may meet, sorted.

    Raises
    ------
    InvalidData
        None are given in the first call, or others than then.
    """
    if given is None and before is None:
        raise InvalidData("classes must be passed on the first call to partial_fit.")
    classes = before if given is None else np.unique(np.asarray(given))
    assert classes is not None
    if before is not None and not np.array_equal(classes, before):
        raise InvalidData(f"`classes={given!r}` is not the same as on last call to partial_fit, was: {before!r}")
    return classes


def require_known(found: Array, known: Array) -> None:
    """Refuse labels that ``partial_fit`` was not told of.

    Raises
    ------
    InvalidData
        There are some.
    """
    others = np.setdiff1d(found, known)
    if len(others):
        raise InvalidData(
            f"The target label(s) {others} in y do not exist in the initial classes {known}. Name all of them in the "
            "first call: partial_fit(X, y, classes=...)."
        )


def codes_of(labels: Array, classes: Array) -> Array:
    """Return the position of each label in the sorted classes, all of which are known."""
    return np.searchsorted(classes, labels)


def labels_at(codes: Array, classes: Array, X: Array) -> Array:
    """Return the label of each code, where the rows X are: words stay in this computer's memory."""
    if classes.dtype.kind in "OUS":
        return classes[to_numpy(codes)]
    return array_namespace_of(X).asarray(classes)[codes]
