"""Real data that need no network: flights of one year, two photos, handwritten digits.

Tables come as lazy Dask data frames, everything else as lazy Dask arrays. Blocks are made on the workers, each from the
files of its own installed package, so nothing is sent from the notebook. ``describe`` says how large something is and
whether its rows are records, derived from records, or copies.

Nothing heavy is imported before a name is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .airborne import flight_minutes
    from .description import Description, describe
    from .handwriting import digits
    from .manifest import verify
    from .photographs import ATTRIBUTION, patches, photos, pixels
    from .tables import airlines, airports, flights, planes, weather

__all__ = [
    "ATTRIBUTION",
    "Description",
    "airlines",
    "airports",
    "describe",
    "digits",
    "flight_minutes",
    "flights",
    "patches",
    "photos",
    "pixels",
    "planes",
    "verify",
    "weather",
]

_MODULES = {
    "airborne": ["flight_minutes"],
    "description": ["Description", "describe"],
    "handwriting": ["digits"],
    "manifest": ["verify"],
    "photographs": ["ATTRIBUTION", "patches", "photos", "pixels"],
    "tables": ["airlines", "airports", "flights", "planes", "weather"],
}
_LAZY = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
