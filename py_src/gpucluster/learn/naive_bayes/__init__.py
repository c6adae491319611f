"""Naive Bayes classifiers: sums over the rows of each class, and nothing else."""

from __future__ import annotations

from .gaussian import GaussianNB
from .multinomial import MultinomialNB

__all__ = ["GaussianNB", "MultinomialNB"]
