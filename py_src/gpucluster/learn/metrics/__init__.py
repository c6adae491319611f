"""Metrics of predictions and clusterings, for data on a cluster and for arrays.

Each metric is a sum over the rows: one pass, a few numbers per block, nothing is gathered. For arrays in memory
scikit-learn's functions are called. For data on several GPUs cuML only has ``confusion_matrix``; here labels on GPUs
are copied to the CPU block by block.
"""

from __future__ import annotations

from .classification import accuracy_score, confusion_matrix, log_loss
from .clustering import adjusted_rand_score, silhouette_score
from .regression import mean_absolute_error, mean_squared_error, r2_score

__all__ = [
    "accuracy_score", "adjusted_rand_score", "confusion_matrix", "log_loss", "mean_absolute_error",
    "mean_squared_error", "r2_score", "silhouette_score",
]  # fmt: skip
