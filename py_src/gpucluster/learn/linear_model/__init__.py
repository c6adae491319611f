"""Models that are linear in the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import imported_when_used

if TYPE_CHECKING:
    from .coordinate_descent import ElasticNet, Lasso
    from .linear_regression import LinearRegression
    from .logistic_regression import LogisticRegression
    from .ridge import Ridge

__all__ = ["ElasticNet", "Lasso", "LinearRegression", "LogisticRegression", "Ridge"]

__getattr__, __dir__ = imported_when_used(
    __name__,
    {
        "ElasticNet": "coordinate_descent",
        "Lasso": "coordinate_descent",
        "LinearRegression": "linear_regression",
        "LogisticRegression": "logistic_regression",
        "Ridge": "ridge",
    },
)
