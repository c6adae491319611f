"""A small neural network, trained on all ranks at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazy_names import imported_when_used

if TYPE_CHECKING:
    from .mlp import MLPClassifier

__all__ = ["MLPClassifier"]

__getattr__, __dir__ = imported_when_used(__name__, {"mlp": ["MLPClassifier"]})
