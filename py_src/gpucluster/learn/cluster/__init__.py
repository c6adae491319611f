"""Groups of similar rows."""

from .dbscan import DBSCAN
from .kmeans import KMeans

__all__ = ["DBSCAN", "KMeans"]
