"""Predict numbers by the mean of many trees."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..arrays import Data, Output, RandomState
from ..delegation.methods import delegable
from ..scoring import ScoredRegressor
from .forest import Forest


class RandomForestRegressor(ScoredRegressor, Forest):
    """Predict numbers by the mean of many trees, grown by scikit-learn on all workers at once.

    Source, communication, and what each tree sees are those of `RandomForestClassifier`.

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
    oob_score, warm_start : False
        Not supported.
    tree_rows : {"all", "block"}
        What a tree draws its rows from: all rows, or those of one block. Scikit-learn does not have this parameter.
    n_bins, n_streams : int, optional
        Of cuML's forests. Without effect where the forest is scikit-learn's, whose splits are exact.

    Attributes
    ----------
    estimators_ : list of sklearn.tree.DecisionTreeRegressor
    n_outputs_, n_features_in_ : int
    feature_importances_ : array of shape (n_features,)
    feature_names_in_ : array of str
        For data frames.
    """

    _scikit_learn = "sklearn.ensemble.RandomForestRegressor"

    _checks_of_y: ClassVar[dict[str, Any]] = {"multi_output": True, "y_numeric": True}
    _classify = False

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
        warm_start: bool = False,
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

    @delegable
    def fit(self, X: Data, y: Data, sample_weight: Data | None = None) -> RandomForestRegressor:
        """Grow the trees.

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_rows, n_features)
        y : Dask array, series or data frame, or array of shape (n_rows,) or (n_rows, n_outputs)
            Numbers.
        sample_weight : Dask array or series, or array of shape (n_rows,), optional

        Raises
        ------
        InvalidData
            X or y cannot be used.
        InvalidParameter, NotSupported
            An option is not allowed or not supported.
        """
        self._grow(X, y, sample_weight)
        return self

    @delegable
    def predict(self, X: Data) -> Output:
        """Return the mean of the trees' predictions of each row; lazily for data on Dask.

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_rows, n_features)

        Returns
        -------
        array, series or data frame of shape (n_rows,) or (n_rows, n_outputs), float64
        """
        check_is_fitted(self)
        width = None if self.n_outputs_ == 1 else self.n_outputs_
        return self._ask("predict", X, np.float64, width)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
