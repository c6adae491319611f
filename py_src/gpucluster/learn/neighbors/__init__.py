"""Nearest neighbours among rows on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazy_names import imported_when_used

if TYPE_CHECKING:
    from .prediction import KNeighborsClassifier, KNeighborsRegressor
    from .training import NearestNeighbors

__all__ = ["KNeighborsClassifier", "KNeighborsRegressor", "NearestNeighbors"]

__getattr__, __dir__ = imported_when_used(
    __name__, {"prediction": ["KNeighborsClassifier", "KNeighborsRegressor"], "training": ["NearestNeighbors"]}
)
