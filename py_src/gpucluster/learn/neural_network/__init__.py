"""A small neural network, trained on all ranks at once."""

from __future__ import annotations

from .mlp import MLPClassifier

__all__ = ["MLPClassifier"]
