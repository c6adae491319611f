"""Columns made ready for learning."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULES = {
    "LabelEncoder": "label_encoder",
    "OneHotEncoder": "one_hot_encoder",
    "StandardScaler": "standard_scaler",
}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
