"""Models that are linear in the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazy_names import imported_when_used

if TYPE_CHECKING:
    from .least_squares import ElasticNet, Lasso, LinearRegression, Ridge
    from .logistic_regression import LogisticRegression

__all__ = ["ElasticNet", "Lasso", "LinearRegression", "LogisticRegression", "Ridge"]

__getattr__, __dir__ = imported_when_used(
    __name__,
    {
        "least_squares": ["ElasticNet", "Lasso", "LinearRegression", "Ridge"],
        "logistic_regression": ["LogisticRegression"],
    },
)
