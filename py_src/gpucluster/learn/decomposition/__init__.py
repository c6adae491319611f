"""Principal components and singular values of tall tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lazy_names import imported_when_used

if TYPE_CHECKING:
    from .pca import PCA
    from .tall_skinny import tsqr, tssvd
    from .truncated_svd import TruncatedSVD

__all__ = ["PCA", "TruncatedSVD", "tsqr", "tssvd"]

__getattr__, __dir__ = imported_when_used(
    __name__, {"pca": ["PCA"], "tall_skinny": ["tsqr", "tssvd"], "truncated_svd": ["TruncatedSVD"]}
)
