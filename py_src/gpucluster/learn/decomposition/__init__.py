"""Principal components and singular values of tall tables."""

from __future__ import annotations

from .pca import PCA
from .tall_skinny import tsqr, tssvd
from .truncated_svd import TruncatedSVD

__all__ = ["PCA", "TruncatedSVD", "tsqr", "tssvd"]
