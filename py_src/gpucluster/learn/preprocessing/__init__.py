"""Prepare columns for learning: the same scale, numbers instead of words."""

from __future__ import annotations

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
