"""What estimators have in common that move and stretch columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin

from ..arrays import Array, Data, Output
from ..errors import InvalidParameter
from ..estimator import DistributedEstimator


class Scaler(OneToOneFeatureMixin, TransformerMixin, DistributedEstimator):
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
