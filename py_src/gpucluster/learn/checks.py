"""What algorithms refuse of the data once they have gone through them, each in one sentence."""

from __future__ import annotations

import numpy as np

from .arrays import Array
from .errors import InvalidData

MOST_COLUMNS = 20_000
"""With more, the square matrix of the columns (3.2 GB) is no small thing to send around."""


def no_rows(name: str = "X", which: str = "") -> InvalidData:
    """Return the error for data without rows, or without rows of a kind, such as ``" with values"``."""
    return InvalidData(f"{name}: has 0 row(s) (samples){which}; at least 1 is needed.")


def not_finite(name: str = "X", *, missing: bool = False) -> InvalidData:
    """Return the error for data with NaN or infinity; ``missing``: NaN is allowed."""
    return InvalidData(f"{name}: contains {'' if missing else 'NaN or '}infinity. Drop or fill such rows first.")


def check_finite(totals: Array, name: str = "X") -> None:
    """Refuse data whose totals are no finite numbers."""
    if not np.isfinite(totals).all():
        raise InvalidData(
            f"{name}: contains NaN, infinity or a value too large for {totals.dtype}. Drop or fill such rows first, "
            "for example with dropna()."
        )


def check_columns(n_features: int, name: str) -> None:
    """Refuse a table too wide for a square matrix of its columns."""
    if n_features > MOST_COLUMNS:
        raise InvalidData(
            f"X: has {n_features:,} columns. {name} works with a square matrix of the columns, for at most "
            f"{MOST_COLUMNS:,}. Choose or combine columns first, for example with a random projection of scikit-learn."
        )
