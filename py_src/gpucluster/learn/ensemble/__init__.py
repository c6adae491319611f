"""Forests whose trees grow where the rows are."""

from __future__ import annotations

from .classification import RandomForestClassifier
from .regression import RandomForestRegressor

__all__ = ["RandomForestClassifier", "RandomForestRegressor"]
