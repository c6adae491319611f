"""Prepare columns for learning: the same scale, numbers instead of words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import imported_when_used

if TYPE_CHECKING:
    from .label_binarizer import LabelBinarizer
    from .label_encoder import LabelEncoder
    from .max_abs_scaler import MaxAbsScaler
    from .min_max_scaler import MinMaxScaler
    from .one_hot_encoder import OneHotEncoder
    from .ordinal_encoder import OrdinalEncoder
    from .standard_scaler import StandardScaler

__all__ = [
    "LabelBinarizer",
    "LabelEncoder",
    "MaxAbsScaler",
    "MinMaxScaler",
    "OneHotEncoder",
    "OrdinalEncoder",
    "StandardScaler",
]

__getattr__, __dir__ = imported_when_used(
    __name__,
    {
        "LabelBinarizer": "label_binarizer",
        "LabelEncoder": "label_encoder",
        "MaxAbsScaler": "max_abs_scaler",
        "MinMaxScaler": "min_max_scaler",
        "OneHotEncoder": "one_hot_encoder",
        "OrdinalEncoder": "ordinal_encoder",
        "StandardScaler": "standard_scaler",
    },
)
