"""Principal components and singular values of tall tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazy_names import imported_when_used

if TYPE_CHECKING:
    from .pca import PCA
    from .svd import TruncatedSVD, tsqr, tssvd

__all__ = ["PCA", "TruncatedSVD", "tsqr", "tssvd"]

__getattr__, __dir__ = imported_when_used(__name__, {"pca": ["PCA"], "svd": ["TruncatedSVD", "tsqr", "tssvd"]})
