"""cuML's multi-GPU estimators behind the names of this package."""

from .catalogue import DELEGATED, NOT_DELEGATED

__all__ = ["DELEGATED", "NOT_DELEGATED"]
