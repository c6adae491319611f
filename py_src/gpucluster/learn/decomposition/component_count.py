"""How many principal components to keep."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from ..errors import InvalidParameter


def components_to_keep(wanted: Any, ratios: Any, variances: Any, n_samples: int, n_features: int) -> int:
    """Return a number of components.

    Parameters
    ----------
    wanted : int, float, "mle" or None
        As ``n_components`` of `PCA`; checked already, apart from how it fits the data.
    ratios, variances : ndarray of shape (k,)
        Of all components, largest first; ratios are shares of the whole variance.
    n_samples, n_features : int

    Raises
    ------
    InvalidParameter
        There are fewer components, or too few rows for an estimate.
    """
    most = len(ratios)
    whole = isinstance(wanted, Integral)
    if wanted is None:
        return most
    if wanted == "mle":
        from sklearn.decomposition._pca import _infer_dimension

        if n_samples < n_features:
            raise InvalidParameter("n_components: 'mle' needs at least as many rows as columns. Give a number.")
        return int(_infer_dimension(variances, n_samples))
    if not whole:
        return min(most, int(np.searchsorted(np.cumsum(ratios), wanted, side="right")) + 1)
    if wanted > most:
        raise InvalidParameter(
            f"n_components: {wanted} must be between 1 and min(n_samples, n_features)={most} of this table."
        )
    return int(wanted)
