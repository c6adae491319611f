"""Prepare columns for learning: scaling, and numbers instead of categories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazy_names import imported_when_used

if TYPE_CHECKING:
    from .encoders import OneHotEncoder, OrdinalEncoder
    from .labels import LabelBinarizer, LabelEncoder
    from .scalers import MaxAbsScaler, MinMaxScaler, StandardScaler

__all__ = [
    "LabelBinarizer", "LabelEncoder", "MaxAbsScaler", "MinMaxScaler", "OneHotEncoder", "OrdinalEncoder",
    "StandardScaler",
]  # fmt: skip

__getattr__, __dir__ = imported_when_used(
    __name__,
    {
        "encoders": ["OneHotEncoder", "OrdinalEncoder"],
        "labels": ["LabelBinarizer", "LabelEncoder"],
        "scalers": ["MaxAbsScaler", "MinMaxScaler", "StandardScaler"],
    },
)
