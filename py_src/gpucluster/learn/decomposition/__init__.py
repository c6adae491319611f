"""Principal components and singular values of tall tables."""

from __future__ import annotations

from .pca import PCA

__all__ = ["PCA"]
