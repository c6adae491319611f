"""Neighbours in the scikit-learn sense, of rows that are spread over a cluster."""

from __future__ import annotations

from .classification import KNeighborsClassifier
from .regression import KNeighborsRegressor
from .unsupervised import NearestNeighbors

__all__ = ["KNeighborsClassifier", "KNeighborsRegressor", "NearestNeighbors"]
