"""What forests that classify and forests that predict numbers have in common."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..delegation.methods import delegable
from ..errors import InvalidParameter, NotSupported
from ..estimator import DistributedEstimator
from ..rows.running import run_table
from ..rows.table import is_dask
from .growing import grow_forest
from .shuffling import deal


class Forest(DistributedEstimator):
    """Base of the forests."""

    n_estimators: int
    shuffle: bool
    random_state: Any
    estimators_: list[Any]
    n_outputs_: int
    _classify: ClassVar[bool]

    def _grow(self, X: Any, y: Any, sample_weight: Any) -> Any:
        """Grow the trees; return the classes."""
        options = self.get_params(deep=False)
        for name in ("oob_score", "warm_start"):
            if options[name]:
                raise NotSupported(f"{name}: is not supported. Leave it out.")
        del options["shuffle"]
        if not isinstance(self.n_estimators, Integral) or self.n_estimators < 1:
            raise InvalidParameter(f"n_estimators: must be a whole number of 1 or more, not {self.n_estimators!r}.")
        parameters = {"options": options, "classify": self._classify}
        if self.shuffle and is_dask(X):
            from sklearn.utils import check_random_state

            seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
            table = deal(self._table(X, y, sample_weight), seed)
            trees, classes = run_table(grow_forest, table, parameters, passes=2)
        else:
            trees, classes = self._fit_with(grow_forest, X, y, sample_weight, passes=2, **parameters)
        self.estimators_ = trees
        self.n_outputs_ = int(trees[0].n_outputs_)
        return classes

    @property
    def feature_importances_(self) -> Any:
        """How much the trees' splits by each feature reduce impurity; array of shape (n_features,) that sums to 1."""
        check_is_fitted(self)
        return self.get_combined_model().feature_importances_

    def _local(self, local: Any) -> Any:
        """Make a forest of scikit-learn of the trees.

        Parameters
        ----------
        local : callable
            Class of scikit-learn.
        """
        check_is_fitted(self)
        options = self.get_params(deep=False)
        del options["shuffle"]
        forest = local(**options)
        forest.estimator_ = forest.estimator
        for name, value in vars(self).items():
            if name.endswith("_") and not name.startswith("_"):
                setattr(forest, name, value)
        return forest

    def _ask(self, function: Callable[..., Any], X: Any, dtype: Any, columns: int | None = None) -> Any:
        """Apply ``function(block, forest)`` to all blocks."""
        forest: Any = self.get_combined_model()
        if hasattr(forest, "feature_names_in_"):  # blocks are arrays, whose columns have no names
            del forest.feature_names_in_
        if is_dask(X):
            from dask.delayed import delayed

            # Large: sent to the workers once, not within each task.
            forest = delayed(forest, pure=False, traverse=False)
        return self._map(function, X, forest, dtype=dtype, columns=columns)

    @delegable
    def get_combined_model(self) -> Any:
        """Return the same forest as one of scikit-learn."""
        raise NotImplementedError


def predicted(X: Any, forest: Any, method: str, dtype: Any, width: int | None) -> Any:
    """Return what a forest of scikit-learn says of a block of rows; also of one without rows."""
    if len(X) == 0:
        return np.empty((0,) if width is None else (0, width), dtype=dtype)
    return getattr(forest, method)(X).astype(dtype, copy=False)
