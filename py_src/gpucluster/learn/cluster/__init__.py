"""Groups of similar rows."""

from .kmeans import KMeans

__all__ = ["KMeans"]
