"""Forests whose trees grow where the rows are."""

from __future__ import annotations

from .forest import RandomForestClassifier, RandomForestRegressor

__all__ = ["RandomForestClassifier", "RandomForestRegressor"]
