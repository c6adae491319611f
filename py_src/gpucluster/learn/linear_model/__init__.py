"""Models that are linear in the columns."""

from __future__ import annotations

from .coordinate_descent import ElasticNet, Lasso
from .linear_regression import LinearRegression
from .logistic_regression import LogisticRegression
from .ridge import Ridge

__all__ = ["ElasticNet", "Lasso", "LinearRegression", "LogisticRegression", "Ridge"]
