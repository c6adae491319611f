"""Naive Bayes classifiers, which need sums over the rows of each class only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazy_names import imported_when_used

if TYPE_CHECKING:
    from .gaussian import GaussianNB
    from .multinomial import MultinomialNB

__all__ = ["GaussianNB", "MultinomialNB"]

__getattr__, __dir__ = imported_when_used(__name__, {"gaussian": ["GaussianNB"], "multinomial": ["MultinomialNB"]})
