"""scikit-learn's decision trees: conversion to plain data and back, and adding classes."""

from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.tree._tree import Tree

from .arrays import Array, PlainModel
from .errors import UnreadableModel

_CLASSES: dict[str, Any] = {"classifier": DecisionTreeClassifier, "regressor": DecisionTreeRegressor}
_FITTED = ("n_features_in_", "n_outputs_", "max_features_", "classes_", "n_classes_")
LEAF = -1


def is_tree(value: Any) -> bool:
    """Whether this is a fitted tree that `tree_parts` supports."""
    return type(value) in _CLASSES.values() and hasattr(value, "tree_")


def tree_parts(tree: PlainModel) -> dict[str, Any]:
    """Return a fitted tree as numbers, strings and arrays, one for each field of its nodes."""
    state = tree.tree_.__getstate__()
    n_features, n_classes, n_outputs = tree.tree_.__reduce__()[1]
    kind = next(name for name, cls in _CLASSES.items() if type(tree) is cls)
    return {
        "kind": kind,
        "params": tree.get_params(deep=False),
        "fitted": {name: getattr(tree, name) for name in _FITTED if hasattr(tree, name)},
        "n_features": int(n_features),
        "n_classes": np.asarray(n_classes),
        "n_outputs": int(n_outputs),
        "max_depth": int(state["max_depth"]),
        "nodes": {name: np.ascontiguousarray(state["nodes"][name]) for name in state["nodes"].dtype.names},
        "values": state["values"],
    }


def tree_from(parts: dict[str, Any]) -> PlainModel:
    """Return the tree of `tree_parts`; raises `UnreadableModel` where they are not valid.

    scikit-learn follows a node's children and features without bounds checks.
    """
    n_features, n_outputs = int(parts["n_features"]), int(parts["n_outputs"])
    columns = parts["nodes"]
    count = len(columns["left_child"])
    tree = Tree(n_features, np.asarray(parts["n_classes"], dtype=np.intp), n_outputs)
    # Of the installed scikit-learn, from a small tree.
    dtype = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1]).tree_.__getstate__()["nodes"].dtype
    nodes = np.zeros(count, dtype=dtype)
    for name in dtype.names or ():
        nodes[name] = columns[name]
    _require_tree(nodes, n_features)
    values = np.ascontiguousarray(parts["values"], dtype=np.float64)
    classes = int(np.max(parts["n_classes"]))
    if values.shape != (count, n_outputs, classes):
        raise UnreadableModel("A tree of the model does not have as many values as nodes.")
    tree.__setstate__({"max_depth": int(parts["max_depth"]), "node_count": count, "nodes": nodes, "values": values})
    made = _CLASSES[parts["kind"]](**parts["params"])
    for name, value in parts["fitted"].items():
        if name not in _FITTED:
            raise UnreadableModel("A tree of the model has an unknown attribute.")
        setattr(made, name, value)
    made.tree_ = tree
    return made


def _require_tree(nodes: Array, n_features: int) -> None:
    here = np.arange(len(nodes))
    left, right = nodes["left_child"], nodes["right_child"]
    leaf = left == LEAF
    inside = (left > here) & (right > here) & (left < len(nodes)) & (right < len(nodes))
    known = (nodes["feature"] >= 0) & (nodes["feature"] < n_features)
    if not len(nodes) or not np.all(np.where(leaf, right == LEAF, inside & known)):
        raise UnreadableModel("A tree of the model refers to nodes or columns that do not exist.")


def with_all_classes(tree: PlainModel, codes: Array, n_classes: int) -> PlainModel:
    """Extend a tree of one output by the classes that it has not seen, with the probability 0, and return it.

    ``codes``, among ``n_classes``, are those of the classes that it has seen.
    """
    if len(codes) == n_classes:
        return tree
    state = tree.tree_.__getstate__()
    values = np.zeros((state["node_count"], 1, n_classes))
    values[:, :, codes] = state["values"]
    wider = Tree(tree.tree_.n_features, np.array([n_classes], dtype=np.intp), 1)
    wider.__setstate__({**state, "values": values})
    tree.tree_ = wider
    tree.n_classes_ = np.int64(n_classes)
    tree.classes_ = np.arange(n_classes, dtype=np.float64)
    return tree
