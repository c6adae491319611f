"""Classes: the different labels in y, the same for all blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, array_namespace_of, to_numpy
from .checks import no_rows
from .errors import InvalidData
from .rows.block import Block

ClassWeight: TypeAlias = Mapping[Any, float] | str | None
"""Weights of the rows of each class; a name such as ``balanced``; ``None`` where all weigh the same."""

FIRST_ROWS = 1000


class Target(NamedTuple):
    """The kind of labels of some rows: enough to return the same as scikit-learn's ``type_of_target``."""

    some: Array  # Up to three different labels.
    n_columns: int
    missing: int  # Number of missing labels, which the other fields leave out.
    text: bool  # Whether there are strings …
    numbers: bool  # … or numbers and booleans …
    fractions: bool  # … or fractional numbers …
    others: bool  # … or other objects: also numbers in an array of Python objects, as in scikit-learn.

    @property
    def is_mixed(self) -> bool:
        """Whether there are both strings and others."""
        return self.text and (self.numbers or self.others)

    @property
    def type(self) -> str:
        """The type of the target, by scikit-learn's name; of labels that are not missing."""
        several = self.n_columns > 1
        if several and self.numbers and not (self.text or self.fractions or self.others) and len(self.some) < 3:
            return "multilabel-indicator"
        if self.others:
            return "unknown"
        if self.fractions:
            return "continuous-multioutput" if several else "continuous"
        if several:
            return "multiclass-multioutput"
        return "multiclass" if len(self.some) > 2 else "binary"


def columns_of(y: Any) -> Array:
    """Return labels as a NumPy array of shape (n_rows,), or (n_rows, n_columns) where there are several columns."""
    labels = to_numpy(y.toarray() if hasattr(y, "toarray") else y)
    return labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels


def target_of(labels: Array) -> Target:
    """Return the kind of labels in an array of `columns_of`."""
    n_columns = 1 if labels.ndim == 1 else labels.shape[1]
    flat, missing = labels.ravel(), 0
    if labels.dtype.kind in "fOmM":
        gaps = _gaps(flat)
        if missing := int(gaps.sum()):
            flat = flat[~gaps]
    kind = flat.dtype.kind if len(flat) else ""
    text, others = _kinds(flat) if kind == "O" else (kind == "U", kind in {"S", "c"})
    fractions = kind == "f" and bool((flat != np.trunc(flat)).any())
    numbers = bool(kind) and not text and not others
    return Target(_some_of(flat), n_columns, missing, text, numbers, fractions, others)


def _some_of(labels: Array) -> Array:
    """Return up to three different labels; the first rows are usually enough."""
    found: list[Any] = []
    for part in (labels[:FIRST_ROWS], labels):
        unknown = np.ones(len(part), dtype=bool)
        for label in found:
            unknown &= part != label
        left = part[unknown]
        while len(left) and len(found) < 3:
            found.append(left[0])
            left = left[left != left[0]]
        if len(found) == 3:
            break
    return np.array(found, dtype=labels.dtype)


def merge_targets(one: Target, other: Target) -> Target:
    """Return the kind of labels of two blocks together."""
    kinds = [mine or theirs for mine, theirs in zip(one[3:], other[3:], strict=True)]
    some = one.some if len(one.some) else other.some
    if len(one.some) and len(other.some) and not (kinds[0] and kinds[1]) and not kinds[3]:
        some = np.union1d(one.some, other.some)[:3]
    return Target(some, max(one.n_columns, other.n_columns), one.missing + other.missing, *kinds)


def _gaps(labels: Array) -> Array:
    """Return which labels are missing, or infinite."""
    if labels.dtype.kind == "f":
        return ~np.isfinite(labels)
    import pandas as pd

    return pd.isna(labels)


def _kinds(labels: Array) -> tuple[bool, bool]:
    """Return whether Python objects, none of which is missing, include strings, and whether they include others."""
    from pandas.api.types import infer_dtype

    if not len(labels) or infer_dtype(labels) == "string":
        return len(labels) > 0, False
    text = {isinstance(label, str) for label in labels.tolist()}
    return True in text, False in text


def labels_of(block: Block, name: str = "y") -> Array:
    """Return the classes of a block's rows as a NumPy array of shape (n_rows,), copied from a GPU."""
    return class_labels(block.y, name)


def class_labels(y: Any, name: str = "y") -> Array:
    """Return labels as a NumPy array of shape (n_rows,), if they can be classes.

    Refuses what `flat_labels` does, and Python objects other than strings, as scikit-learn does.
    """
    labels = flat_labels(y, name)
    if labels.dtype.kind == "S" or (labels.dtype.kind == "O" and _kinds(labels)[1]):
        raise InvalidData(
            f"Unknown label type: unknown. {name}: holds Python objects or bytes, but labels must be numbers or "
            f"strings. Convert them, for example with {name}.astype(int) or {name}.astype(str)."
        )
    return labels


def flat_labels(y: Any, name: str = "y") -> Array:
    """Return labels, (n_rows,); `InvalidData` for several columns, missing ones, and strings beside others."""
    labels = columns_of(y)
    if labels.ndim != 1:
        raise InvalidData(f"{name}: must have one label per row, not {labels.shape[1]} columns.")
    require_present(labels, name)
    if labels.dtype.kind == "O" and all(_kinds(labels)):
        raise mixed_labels(name)
    return labels


def require_present(labels: Array, name: str = "y") -> None:
    if labels.dtype.kind in "fOmM" and _gaps(labels).any():
        raise missing_labels(name)


def missing_labels(name: str, count: int | None = None) -> InvalidData:
    """Return the error for missing labels; ``count`` is their number in all blocks, if known."""
    some = "labels are" if count is None else "1 label is" if count == 1 else f"{count:,} labels are"
    return InvalidData(f"{name}: {some} missing, NaN or infinite. Drop such rows, or fill them with a label.")


def mixed_labels(name: str) -> InvalidData:
    """Return the error for both numbers and strings among labels."""
    return InvalidData(
        f"Mix of label input types (string and number). {name}: both numbers and strings. Make all labels one kind, "
        "for example with astype(str)."
    )


def classes_of(block: Block) -> Array | None:
    """Return the different labels of a block, sorted; ``None`` for a block without rows."""
    labels = labels_of(block)
    return np.unique(labels) if len(labels) else None


@overload
def merge_classes(one: Array, other: Array | None, name: str = "y") -> Array: ...
@overload
def merge_classes(one: Array | None, other: Array, name: str = "y") -> Array: ...
@overload
def merge_classes(one: Array | None, other: Array | None, name: str = "y") -> Array | None: ...
def merge_classes(one: Array | None, other: Array | None, name: str = "y") -> Array | None:
    """Return the classes of two blocks, sorted; ``None`` stands for a block without rows."""
    if one is None or other is None:
        return other if one is None else one
    require_one_kind(one, other, name)
    return np.union1d(one, other)


def require_one_kind(one: Array, other: Array, name: str = "y") -> None:
    """Refuse strings beside numbers, which NumPy would compare as strings or as all different."""
    if len(one) and len(other) and _is_text(one) != _is_text(other):
        raise mixed_labels(name)


def _is_text(labels: Array) -> bool:
    return labels.dtype.kind in "US" or isinstance(labels[0], str)


def merge_all_classes(parts: Iterable[Array | None], name: str = "y") -> Array | None:
    """Return the classes of all blocks, sorted."""
    found: Array | None = None
    for part in parts:
        found = merge_classes(found, part, name)
    return found


def checked_classes(classes: Array | None, name: str = "y") -> Array:
    """Return the classes of all rows; refuse fractions, and data without rows."""
    if classes is None:
        raise no_rows(name)
    if classes.dtype.kind == "f" and (classes != np.round(classes)).any():
        raise InvalidData(
            f"Unknown label type: continuous. {name}: has continuous values, but must have classes. Use a regressor, "
            f"or convert it to classes, for example {name} > 0."
        )
    return classes


def known_classes(given: ArrayLike | None, before: Array | None) -> Array:
    """Return all classes of ``partial_fit``, sorted; the first call needs them, and they must stay the same."""
    if given is None and before is None:
        raise InvalidData("classes must be passed on the first call to partial_fit.")
    classes = before if given is None else np.unique(np.asarray(given))
    assert classes is not None
    if before is not None and not np.array_equal(classes, before):
        raise InvalidData(f"`classes={given!r}` is not the same as on last call to partial_fit, was: {before!r}")
    return classes


def require_known(found: Array, known: Array) -> None:
    """Refuse labels outside the ``classes`` of ``partial_fit``."""
    require_one_kind(found, known)
    others = np.setdiff1d(found, known)
    if len(others):
        raise InvalidData(
            f"The target label(s) {others} in y do not exist in the initial classes {known}. Pass all of them in the "
            "first call: partial_fit(X, y, classes=...)."
        )


def codes_of(labels: Array, classes: Array) -> Array:
    """Return the position of each label in the sorted classes, all of which are known."""
    return np.searchsorted(classes, labels)


def labels_at(codes: Array, classes: Array, X: Array) -> Array:
    """Return the label of each code on the device of X; strings stay in host memory."""
    if classes.dtype.kind in "OUS":
        return classes[to_numpy(codes)]
    return array_namespace_of(X).asarray(classes)[codes]
