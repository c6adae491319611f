"""Classify by the votes of many trees."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..arrays import Array, Data, Output, RandomState
from ..delegation.methods import delegable
from ..labels import ClassWeight
from ..scoring import ScoredClassifier
from .forest import Forest


class RandomForestClassifier(ScoredClassifier, Forest):
    """Classify by the votes of many trees, grown by scikit-learn on all workers at once.

    Source: L. Breiman, "Random Forests", Machine Learning 45 (2001), by scikit-learn's code. Every worker gets the rows
    of all others, and grows its share of the trees, each on its own sample of all rows: the forest is scikit-learn's,
    tree by tree, however the rows are cut or sorted. Communication: ``4 n_features`` bytes per row to each worker,
    between workers, then the trees, once. Where all rows take more than 30 % of a worker's memory, all trees grow on
    so many rows drawn at random, and a warning says how many.

    With ``tree_rows="block"`` no row moves: a block with a share of the rows grows that share of the trees, on these
    rows alone, as forests on Dask (and cuML's before 25.12) do. With few, large blocks whose rows are alike, the forest
    is about as good; with sorted rows much worse, because each tree knows only some of the classes.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features, max_leaf_nodes, \
min_impurity_decrease, bootstrap, n_jobs, verbose, ccp_alpha, max_samples, monotonic_cst
        As those of scikit-learn. ``n_jobs`` threads grow trees on each worker; as many as it has when not given.
    random_state : int or RandomState, optional
        The same one gives the same forest as in scikit-learn, however the rows are cut. With ``tree_rows="block"`` it
        depends on the cut, but not on where the blocks are.
    class_weight : {"balanced", "balanced_subsample"} or dict, optional
        Weights of the classes; ``balanced`` counts the rows of all blocks.
    oob_score, warm_start : False
        Not supported.
    tree_rows : {"all", "block"}
        What a tree draws its rows from: all rows, or those of one block. Scikit-learn does not have this parameter.
    n_bins, n_streams : int, optional
        Of cuML's forests. Without effect where the forest is scikit-learn's, whose splits are exact.

    Attributes
    ----------
    estimators_ : list of sklearn.tree.DecisionTreeClassifier
    classes_ : array of shape (n_classes,)
    n_classes_, n_outputs_, n_features_in_ : int
    feature_importances_ : array of shape (n_features,)
    feature_names_in_ : array of str
        For data frames.
    """

    _scikit_learn = "sklearn.ensemble.RandomForestClassifier"

    classes_: Array
    _classify = True

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: ClassWeight = None,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: ArrayLike | None = None,
        tree_rows: str = "all",
        n_bins: int | None = None,
        n_streams: int | None = None,
    ) -> None:
        super().__init__(
            n_estimators, criterion=criterion, max_depth=max_depth, min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf, min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features, max_leaf_nodes=max_leaf_nodes, min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap, oob_score=oob_score, n_jobs=n_jobs, random_state=random_state, verbose=verbose,
            warm_start=warm_start, ccp_alpha=ccp_alpha, max_samples=max_samples, monotonic_cst=monotonic_cst,
            tree_rows=tree_rows, n_bins=n_bins, n_streams=n_streams,
        )  # fmt: skip
        self.class_weight = class_weight

    @delegable
    def fit(self, X: Data, y: Data, sample_weight: Data | None = None) -> RandomForestClassifier:
        """Grow the trees.

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_rows, n_features)
        y : Dask array or series, or array of shape (n_rows,)
            Labels: whole numbers or strings.
        sample_weight : Dask array or series, or array of shape (n_rows,), optional

        Raises
        ------
        InvalidData
            X or y cannot be used.
        InvalidParameter, NotSupported
            An option is not allowed or not supported.
        """
        classes = self._grow(X, y, sample_weight)
        assert classes is not None
        self.classes_ = classes
        self.n_classes_ = len(self.classes_)
        return self

    @delegable
    def predict(self, X: Data) -> Output:
        """Return the class of each row; lazily for data on Dask.

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_rows, n_features)

        Returns
        -------
        array or series of shape (n_rows,)
        """
        check_is_fitted(self)
        return self._ask("predict", X, self.classes_.dtype)

    @delegable
    def predict_proba(self, X: Data) -> Output:
        """Return the mean of the trees' probabilities of each class; lazily for data on Dask.

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_rows, n_features)

        Returns
        -------
        array or data frame of shape (n_rows, n_classes), float64
        """
        check_is_fitted(self)
        return self._ask("predict_proba", X, np.float64, self.n_classes_)

    @delegable
    def predict_log_proba(self, X: Data) -> Output:
        """Return the logarithms of `predict_proba`: minus infinity where no tree says a class.

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_rows, n_features)

        Returns
        -------
        array or data frame of shape (n_rows, n_classes), float64
        """
        check_is_fitted(self)
        return self._ask("predict_log_proba", X, np.float64, self.n_classes_)
