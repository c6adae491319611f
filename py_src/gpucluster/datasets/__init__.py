"""Real data that need no network: flights of one year, two photos, handwritten digits.

Tables are lazy Dask data frames, everything else lazy Dask arrays. Workers make the blocks from the files of their
installed package, so nothing is sent from the notebook. ``describe`` returns the size of a data set, and whether its
rows are records, derived from records, or copies.

Nothing heavy is imported before a name is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import imported_when_used

if TYPE_CHECKING:
    from .airborne import flight_minutes
    from .description import Description, describe
    from .pictures import ATTRIBUTION, digits, patches, photos, pixels
    from .tables import airlines, airports, flights, planes, verify, weather

__all__ = [
    "ATTRIBUTION", "Description", "airlines", "airports", "describe", "digits", "flight_minutes", "flights", "patches",
    "photos", "pixels", "planes", "verify", "weather",
]  # fmt: skip

__getattr__, __dir__ = imported_when_used(
    __name__,
    {
        "airborne": ["flight_minutes"],
        "description": ["Description", "describe"],
        "pictures": ["ATTRIBUTION", "digits", "patches", "photos", "pixels"],
        "tables": ["airlines", "airports", "flights", "planes", "verify", "weather"],
    },
)
