"""Checks of data that algorithms can only make while computing, and their error messages."""

from __future__ import annotations

import numpy as np

from .arrays import Array, Data, array_namespace_of
from .errors import InvalidData
from .rows.block import Block

MOST_COLUMNS = 20_000  # With more, the square matrix of the columns (3.2 GB) is no small thing to send around.


def no_rows(name: str = "X", which: str = "") -> InvalidData:
    """Return the error for data without rows, or without rows of a kind, such as ``" with values"``."""
    return InvalidData(f"{name}: found array with 0 row(s) (samples){which} while a minimum of 1 is required.")


def no_weight() -> InvalidData:
    """Return the error for weights that are all zero, or sum to zero where their sum divides."""
    return InvalidData("sample_weight: must contain at least one non-zero number, and not sum to zero.")


def checked_weights(weights: Array) -> Array:
    """Return the weights of some rows, if they are finite numbers."""
    if weights.ndim != 1:
        raise InvalidData(f"sample_weight: must be 1D, one number per row, not {weights.ndim}D.")
    if weights.dtype.kind not in "biuf":
        try:
            weights = weights.astype(np.float64)
        except (TypeError, ValueError):
            raise InvalidData("sample_weight: must be numbers.") from None
    if not bool(np.isfinite(weights).all()):
        raise not_finite("sample_weight")
    return weights


def not_finite(name: str = "X", *, missing: bool = False) -> InvalidData:
    """Return the error for data with NaN or infinity; ``missing``: NaN is allowed."""
    return InvalidData(f"{name}: contains {'' if missing else 'NaN or '}infinity. Drop or fill such rows first.")


def check_finite(totals: Array, name: str = "X") -> None:
    """Refuse data whose totals are not finite."""
    if not np.isfinite(totals).all():
        raise InvalidData(
            f"{name}: contains NaN, infinity or a value too large for {totals.dtype}. Drop or fill such rows first, "
            "for example with dropna()."
        )


def total_weight(block: Block) -> float:
    """Return the sum of the absolute weights of a block's rows; 1 where there are no weights."""
    if block.weights is None:
        return 1.0
    weights = array_namespace_of(block.weights).asarray(block.weights, dtype=np.float64)
    return float(abs(weights).sum())


def check_weight(total: float, *, negative: bool = False) -> None:
    """Refuse weights whose sum, NaN if they cannot be used, is not finite or not above 0; ``negative``: some may be."""
    if not 0 < total < np.inf:
        raise InvalidData(f"sample_weight: must be finite{'' if negative else ', non-negative'} numbers, not all 0.")


def check_columns(X: Data, name: str) -> None:
    """Refuse a table too wide for a square matrix of its columns."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) == 2 and shape[1] > MOST_COLUMNS:
        raise InvalidData(
            f"X: has {shape[1]:,} columns. {name} works with a square matrix of the columns, for at most "
            f"{MOST_COLUMNS:,}. Choose or combine columns first, for example with a random projection of scikit-learn."
        )
