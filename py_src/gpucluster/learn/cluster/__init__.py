"""Groups of similar rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazy_names import imported_when_used

if TYPE_CHECKING:
    from .dbscan import DBSCAN
    from .kmeans import KMeans

__all__ = ["DBSCAN", "KMeans"]

__getattr__, __dir__ = imported_when_used(__name__, {"dbscan": ["DBSCAN"], "kmeans": ["KMeans"]})
