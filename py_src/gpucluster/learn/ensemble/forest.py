"""Random forests: their common base, the classifier and the regressor, and growing each tree on the rows of one block.

The latter, as forests on Dask usually do, moves no row, and each block grows trees in proportion to its rows. A tree
never sees the rows of other blocks, so blocks must be alike: where the rows are sorted by class or by time, each tree
knows only some classes or times, and the forest is worse than scikit-learn's.
"""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from dask.delayed import delayed
from numpy.typing import ArrayLike, DTypeLike
from sklearn.base import MultiOutputMixin
from sklearn.utils import check_random_state

from ..arrays import Array, Data, Output, PlainModel, RandomState, to_numpy
from ..checks import no_rows, not_finite
from ..delegation.methods import delegable
from ..errors import NotSupported, warn_caller
from ..estimator import DistributedEstimator, ScoredClassifier, ScoredRegressor
from ..labels import ClassWeight, checked_classes, codes_of, labels_of, merge_all_classes
from ..parameters import fitted, one_of, parameter, unset, whole
from ..rows.block import Block, Rows
from ..rows.running import run_table, run_table_on_ranks
from ..rows.table import Table, is_dask
from .growing import (
    LARGEST_SEED,
    Grown,
    all_classes,
    check_numbers,
    fitting_table,
    grow_forest,
    grow_share,
    grown,
    next_state,
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


_NOT_SUPPORTED = unset("is not supported. Omit it.", off=True)


class Forest(DistributedEstimator):
    """Base of the forests."""

    estimators_: list[PlainModel] = fitted()
    n_outputs_: int = fitted()
    _own_parameters = frozenset({"tree_rows", "n_bins", "n_streams"})
    _classify: ClassVar[bool]
    _checks_of_y: ClassVar[dict[str, Any]] = {}
    """Further arguments of scikit-learn's ``validate_data`` for y in memory."""

    n_estimators: int = parameter(100, whole(1), kw_only=False)
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    bootstrap: bool = True
    oob_score: bool = parameter(False, _NOT_SUPPORTED)
    n_jobs: int | None = None
    random_state: RandomState = None
    verbose: int = 0
    warm_start: bool = parameter(False, _NOT_SUPPORTED)
    ccp_alpha: float = 0.0
    max_samples: float | None = None
    monotonic_cst: ArrayLike | None = None
    tree_rows: str = parameter("all", one_of("all", "block"))
    n_bins: int | None = None
    n_streams: int | None = None

    @property
    def _checks(self) -> dict[str, Any]:  # type: ignore[override]
        missing = takes_missing(self.get_params(deep=False), self._classify)
        return {**self._checks_of_y, "ensure_all_finite": "allow-nan" if missing else True}

    def _grow(self, X: Data, y: Data, sample_weight: Data | None) -> Array | None:
        """Grow the trees; return the classes."""
        options = self._plain_parameters()
        options["random_state"] = next_state(self.random_state, int(self.n_estimators))
        grown: Grown
        if self.tree_rows == "block":
            grown = self._fit_with(
                grow_on_blocks, X, y, sample_weight, passes=2, options=options, classify=self._classify
            )
        elif is_dask(X):
            self._require_y(y)
            grown = self._on_all_workers(self._table(X, y, sample_weight), options)
        else:
            grown = self._fit_with(grow_forest, X, y, sample_weight, options=options, classify=self._classify)
        self.estimators_ = grown.trees
        self.n_outputs_ = int(grown.trees[0].n_outputs_)
        return grown.classes

    def _on_all_workers(self, table: Table, options: dict[str, Any]) -> Grown:
        """Grow a share of the trees on each worker, from all rows that fit into its memory."""
        held = fitting_table(table, int(deepcopy(options["random_state"]).randint(LARGEST_SEED)))
        parameters: dict[str, Any] = {"options": options, "classify": self._classify, "threads": True}
        if held.n_rows is not None and held.n_rows != table.n_rows:
            warn_caller(
                f"{type(self).__name__}: each tree grows on {held.n_rows:,} rows, drawn at random from all rows; more "
                "do not fit in the memory of each worker. Give workers more memory, or let each tree grow on the rows "
                "of one block: tree_rows='block'.",
                RuntimeWarning,
            )
            parameters["classes"] = run_table(all_classes, table, {}, passes=1) if self._classify else None
        parts: list[Grown] | None = run_table_on_ranks(grow_share, held, parameters, everybody=True)
        if parts is None:
            raise NotSupported(
                f"{type(self).__name__}: the rows do not fit in the workers' memory. Use more workers, or grow each "
                "tree on the rows of one block: tree_rows='block'."
            )
        return Grown([tree for part in parts for tree in part.trees], parts[0].classes)

    @property
    def feature_importances_(self) -> PlainModel:
        """How much the trees' splits by each feature reduce impurity; array of shape (n_features,) that sums to 1."""
        return self.get_combined_model().feature_importances_

    @delegable
    def get_combined_model(self) -> PlainModel:
        """Return the same forest as one of scikit-learn."""
        model = self._plain_model()
        model.estimator_ = model.estimator
        return model

    def _map_forest(self, method: str, X: Data, dtype: DTypeLike, columns: int | None = None) -> Output:
        forest: PlainModel = self.get_combined_model()
        if hasattr(forest, "feature_names_in_"):  # blocks are arrays, whose columns have no names
            del forest.feature_names_in_
        if is_dask(X):
            # The forest is large: send it to the workers once, not within each task.
            forest = delayed(forest, pure=False, traverse=False)
        function = partial(predicted, method=method, dtype=dtype, width=columns)
        return self._map(function, X, forest, dtype=dtype, columns=columns)


def predicted(X: Array, forest: PlainModel, method: str, dtype: DTypeLike, width: int | None) -> Array:
    """Call a method of scikit-learn's forest with a block, which may have no rows."""
    if len(X) == 0:
        return np.empty((0,) if width is None else (0, width), dtype=dtype)
    with np.errstate(divide="ignore"):  # The logarithm of a probability of 0 is minus infinity.
        return getattr(forest, method)(X).astype(dtype, copy=False)


class RandomForestClassifier(ScoredClassifier, Forest):
    """Classify by the votes of many trees, grown by scikit-learn on all workers at once.

    Source: L. Breiman, "Random Forests", Machine Learning 45 (2001), by scikit-learn's code. Every worker gets the rows
    of all others, and grows its share of the trees, each on its own sample of all rows: the forest is scikit-learn's,
    tree by tree, whatever the blocks and the order of the rows. Communication: ``4 n_features`` bytes per row to each
    worker, between workers, then the trees, once. Where all rows take more than 30 % of a worker's memory, all trees
    grow on a random sample of that size, and a warning has the number of rows.

    With ``tree_rows="block"`` no row moves: each block grows trees in proportion to its rows, on these rows alone, as
    forests on Dask (and cuML's before 25.12) do. With few, large blocks whose rows are alike, the forest is about as
    good; with sorted rows it is much worse, because each tree knows only some of the classes.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features, max_leaf_nodes, \
min_impurity_decrease, bootstrap, n_jobs, verbose, ccp_alpha, max_samples, monotonic_cst
        As those of scikit-learn. ``n_jobs`` threads grow trees on each worker; as many as it has when not given.
    random_state : int or RandomState, optional
        The same one gives the same forest as in scikit-learn, whatever the blocks. With ``tree_rows="block"`` it
        depends on the blocks, but not on their places.
    class_weight : {"balanced", "balanced_subsample"} or dict, optional
        Weights of the classes; ``balanced`` counts the rows of all blocks.
    oob_score, warm_start : False
        Not supported.
    tree_rows : {"all", "block"}
        The rows that a tree is grown from: all, or those of one block. scikit-learn does not have this parameter.
    n_bins, n_streams : int, optional
        Of cuML's forests. Without effect where the forest is scikit-learn's, whose splits are exact.

    Attributes
    ----------
    estimators_ : list of sklearn.tree.DecisionTreeClassifier
    classes_ : array of shape (n_classes,)
    n_classes_, n_outputs_ : int
    feature_importances_ : array of shape (n_features,)
    """

    _scikit_learn = "sklearn.ensemble.RandomForestClassifier"

    classes_: Array = fitted()
    _classify = True

    criterion: str = "gini"
    max_features: float | str | None = "sqrt"
    class_weight: ClassWeight = None

    @delegable
    def fit(self, X: Data, y: Data, sample_weight: Data | None = None) -> RandomForestClassifier:
        """Grow the trees."""
        classes = self._grow(X, y, sample_weight)
        assert classes is not None
        self.classes_ = classes
        self.n_classes_ = len(self.classes_)
        return self

    @delegable
    def predict(self, X: Data) -> Output:
        """Return the class of each row."""
        return self._map_forest("predict", X, self.classes_.dtype)

    @delegable
    def predict_proba(self, X: Data) -> Output:
        """Return the mean of the trees' probabilities of each class, float64."""
        return self._map_forest("predict_proba", X, np.float64, self.n_classes_)

    @delegable
    def predict_log_proba(self, X: Data) -> Output:
        """Return the logarithms of `predict_proba`: minus infinity where no tree votes for a class."""
        return self._map_forest("predict_log_proba", X, np.float64, self.n_classes_)


class RandomForestRegressor(MultiOutputMixin, ScoredRegressor, Forest):
    """Predict numbers by the mean of many trees, grown by scikit-learn on all workers at once.

    Source and communication are those of `RandomForestClassifier`.

    Parameters
    ----------
    n_estimators, criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features, \
max_leaf_nodes, min_impurity_decrease, bootstrap, oob_score, n_jobs, random_state, verbose, warm_start, ccp_alpha, \
max_samples, monotonic_cst, tree_rows, n_bins, n_streams
        As those of `RandomForestClassifier`.

    Attributes
    ----------
    estimators_ : list of sklearn.tree.DecisionTreeRegressor
    n_outputs_ : int
    feature_importances_ : array of shape (n_features,)
    """

    _scikit_learn = "sklearn.ensemble.RandomForestRegressor"

    _checks_of_y: ClassVar[dict[str, Any]] = {"multi_output": True, "y_numeric": True}
    _classify = False

    criterion: str = "squared_error"
    max_features: float | str | None = 1.0

    @delegable
    def fit(self, X: Data, y: Data, sample_weight: Data | None = None) -> RandomForestRegressor:
        """Grow the trees."""
        self._grow(X, y, sample_weight)
        return self

    @delegable
    def predict(self, X: Data) -> Output:
        """Return the mean of the trees' predictions of each row, float64."""
        width = None if self.n_outputs_ == 1 else self.n_outputs_
        return self._map_forest("predict", X, np.float64, width)
