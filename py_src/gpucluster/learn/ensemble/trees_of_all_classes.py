"""Trees that were grown where some classes do not occur, made to vote among all classes."""

from __future__ import annotations

from typing import Any

import numpy as np


def with_all_classes(tree: Any, codes: Any, n_classes: int) -> Any:
    """Return a tree whose leaves have a share, of zero, for each class it has not seen.

    Parameters
    ----------
    tree : sklearn.tree.DecisionTreeClassifier
        Of one output; changed.
    codes : array of int
        Codes, among all classes, of those that it has seen.
    n_classes : int
        Number of all classes.
    """
    if len(codes) == n_classes:
        return tree
    from sklearn.tree._tree import Tree

    state = tree.tree_.__getstate__()
    values = np.zeros((state["node_count"], 1, n_classes))
    values[:, :, codes] = state["values"]
    wider = Tree(tree.tree_.n_features, np.array([n_classes], dtype=np.intp), 1)
    wider.__setstate__({**state, "values": values})
    tree.tree_ = wider
    tree.n_classes_ = np.int64(n_classes)
    tree.classes_ = np.arange(n_classes, dtype=np.float64)
    return tree
