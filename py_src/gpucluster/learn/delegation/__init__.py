"""Estimators of cuML for several GPUs behind the names of ours, where there are such."""

from __future__ import annotations

from .catalogue import DELEGATED, NOT_DELEGATED

__all__ = ["DELEGATED", "NOT_DELEGATED"]
