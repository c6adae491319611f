"""Models that are linear in the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazy_names import imported_when_used

if TYPE_CHECKING:
    from .coordinate_descent import ElasticNet, Lasso
    from .least_squares import LinearRegression, Ridge
    from .logistic_regression import LogisticRegression

__all__ = ["ElasticNet", "Lasso", "LinearRegression", "LogisticRegression", "Ridge"]

__getattr__, __dir__ = imported_when_used(
    __name__,
    {
        "coordinate_descent": ["ElasticNet", "Lasso"],
        "least_squares": ["LinearRegression", "Ridge"],
        "logistic_regression": ["LogisticRegression"],
    },
)
