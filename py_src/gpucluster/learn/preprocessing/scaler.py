"""What estimators have in common that move and stretch columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.base import OneToOneFeatureMixin

from ..arrays import Array, Data, Output
from ..checks import no_rows
from ..errors import InvalidData, InvalidParameter
from ..estimator import DistributedEstimator, LazyTransformerMixin
from ..kernels.extremes import Extremes, extremes, merge_extremes
from ..rows.block import Rows


def extreme_values(rows: Rows) -> Extremes:
    """Return smallest and largest value of each column with one message of at most ``8 (2 d + 1)`` bytes per block."""
    found: Extremes = rows.total(extremes, op=merge_extremes)
    return found


class Scaler(OneToOneFeatureMixin, LazyTransformerMixin, DistributedEstimator):
    """Base of the scalers: NaN stays NaN, columns keep their names, results have the type of X."""

    _checks: ClassVar[dict[str, Any]] = {"ensure_all_finite": "allow-nan"}

    def _map_columns(self, function: Callable[..., Array], X: Data, *model: Any) -> Output:
        names = getattr(self, "feature_names_in_", None)
        return self._map(function, X, *model, columns=self.n_features_in_, names=None if names is None else list(names))

    def _require_switches(self, *names: str) -> None:
        for name in names:
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise InvalidParameter(f"{name}: must be True or False, not {getattr(self, name)!r}.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class ScalerByExtremes(Scaler):
    """Base of the scalers that need the smallest and largest value of each column, found in one pass over the rows."""

    copy: bool
    clip: bool

    def _extremes(self, X: Data, before: Extremes | None) -> Extremes:
        """Return those of X, and of the rows before.

        Raises
        ------
        InvalidData
            X holds infinity or has no rows.
        InvalidParameter
            An option is neither True nor False.
        """
        self._require_switches("copy", "clip")
        found: Extremes = self._fit_with(extreme_values, X, passes=1, reset=before is None)
        if before is not None:
            found = merge_extremes(before, found)
        if not found.n_rows:
            raise no_rows()
        if np.isinf(found.lows).any() or np.isinf(found.highs).any():
            raise InvalidData("X: contains infinity. Remove or clip such values first.")
        return found

    @staticmethod
    def _divisors(lengths: Array) -> Array:
        """Return what columns are divided by; as in scikit-learn, what differs by rounding only is not blown up."""
        tiny = 10 * np.finfo(lengths.dtype).eps
        return np.where(lengths < tiny, lengths.dtype.type(1), lengths)
