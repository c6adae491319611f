"""Divide data into parts for training and for testing."""

from __future__ import annotations

from .split import train_test_split

__all__ = ["train_test_split"]
