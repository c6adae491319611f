"""Handwritten digits: a small data set on which results can be checked by hand."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .cutting import even_cuts, lengths
from .libraries import Array, ArrayLibrary, array_library, as_library

if TYPE_CHECKING:
    from dask.array import Array as DaskArray

ROWS, COLUMNS = 1797, 64


def digits(n_blocks: int | None = None) -> tuple[DaskArray, DaskArray]:
    """Return 1,797 pictures of handwritten digits, and their digits.

    The test set of *Optical Recognition of Handwritten Digits* (E. Alpaydin and C. Kaynak, UCI), bundled with
    scikit-learn.

    Parameters
    ----------
    n_blocks : int, optional
        Number of blocks of nearly the same length. Default: 1.

    Returns
    -------
    X : dask.array.Array
        Of shape (1797, 64), float64: 8 × 8 pixels from 0 to 16.
    y : dask.array.Array
        Of shape (1797,), int64: 0 to 9.

    Raises
    ------
    InvalidOption, MissingLibrary
    """
    import dask.array as da

    library = array_library()
    rows = lengths(even_cuts(ROWS, 1 if n_blocks is None else n_blocks, "n_blocks"))
    X = da.map_blocks(
        _block, chunks=(rows, (COLUMNS,)), dtype=np.float64, part=0, library=library,
        meta=as_library(np.empty((0, 0)), library),
    )  # fmt: skip
    y = da.map_blocks(
        _block, chunks=(rows,), dtype=np.int64, part=1, library=library,
        meta=as_library(np.empty(0, np.int64), library),
    )  # fmt: skip
    return X, y


def _block(*, part: int, library: ArrayLibrary, block_info: Any = None) -> Array:
    start, stop = block_info[None]["array-location"][0]
    return as_library(_loaded()[part][start:stop], library)


@lru_cache(maxsize=1)
def _loaded() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return X.astype(np.float64), y.astype(np.int64)
