"""Different transformers for different columns."""

from __future__ import annotations

from .column_transformer import ColumnTransformer, make_column_transformer

__all__ = ["ColumnTransformer", "make_column_transformer"]
