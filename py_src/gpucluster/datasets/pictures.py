"""Two photographs, their pixels and all small squares that can be cut out of them; handwritten digits.

The photos are bundled with scikit-learn. They are licensed under Creative Commons Attribution 2.0: show `ATTRIBUTION`
with them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidOption
from .options import Array, ArrayLibrary, array_library, as_library, even_cuts, lengths, whole_number

if TYPE_CHECKING:
    from dask.array import Array as DaskArray


Photo = Literal["china", "flower"]
ATTRIBUTION = (
    "Photos “china.jpg” by danielbuechele (https://www.flickr.com/photos/danielbuechele/6061409035/) and “flower.jpg” "
    "by vultilion (https://www.flickr.com/photos/vultilion/6056698931/), both CC BY 2.0, bundled with scikit-learn"
)
NAMES: tuple[Photo, ...] = ("china", "flower")
HEIGHT, WIDTH, CHANNELS = 427, 640, 3
BLOCK_BYTES = 32 * 10**6  # Approximate default size of blocks.


def photos() -> DaskArray:
    """Return both photos as a lazy Dask array of shape (2, 427, 640, 3), uint8: photo, line, column, channel.

    “china.jpg” by danielbuechele and “flower.jpg” by vultilion, both CC BY 2.0. Show `ATTRIBUTION` with them.

    Raises
    ------
    InvalidOption, MissingLibrary
    """
    return _lazy(_photo_block, ((1,) * len(NAMES), (HEIGHT,), (WIDTH,), (CHANNELS,)), np.uint8)


def pixels(n_blocks: int | None = None, *, photo: Photo = "china") -> DaskArray:
    """Return the colours of all pixels of a photo as a lazy Dask array of shape (273,280, 3), float32, from 0 to 1.

    “china.jpg” by danielbuechele and “flower.jpg” by vultilion, both CC BY 2.0. Show `ATTRIBUTION` with them.

    Parameters
    ----------
    n_blocks : int, optional
        Number of blocks of nearly the same length. Default: 1 (3.3 MB).
    photo : {"china", "flower"}
        Which one.

    Raises
    ------
    InvalidOption, MissingLibrary
    """
    return patches(1, n_blocks=1 if n_blocks is None else n_blocks, photo=photo)


def patches(size: int = 8, *, n_blocks: int | None = None, photo: Photo | None = None) -> DaskArray:
    """Return all overlapping squares of ``size`` × ``size`` pixels of the photos, one a row.

    A lazy Dask array, float32, values from 0 to 1. Workers make blocks on demand, and never store them. Both photos:
    8 pixels make 531,720 × 192 (0.41 GB), 16 make 515,000 × 768 (1.58 GB), 32 make 482,328 × 3,072 (5.9 GB), 64 make
    420,056 × 12,288 (20.6 GB). Rows overlap, so they are not independent.

    “china.jpg” by danielbuechele and “flower.jpg” by vultilion, both CC BY 2.0. Show `ATTRIBUTION` with them.

    Parameters
    ----------
    size : int
        Side of the squares in pixels, 1 to 427.
    n_blocks : int, optional
        Number of blocks of nearly the same length. By default blocks of at most 32 MB.
    photo : {"china", "flower"}, optional
        Only this one; by default first all of “china”, then all of “flower”.

    Returns
    -------
    dask.array.Array
        Of shape (n_patches, size × size × 3), of the library in Dask's option ``array.backend``. A row is the square
        line by line, three channels a pixel: ``row.reshape(size, size, 3)``.

    Raises
    ------
    InvalidOption, MissingLibrary

    Examples
    --------
    >>> patches(8).shape
    (531720, 192)
    """
    chosen = chosen_photos(size, photo)
    columns = size * size * CHANNELS
    n_rows = len(chosen) * patches_per_photo(size)
    if n_blocks is None:
        n_blocks = -(-n_rows * columns * np.dtype(np.float32).itemsize // BLOCK_BYTES)
    cuts = even_cuts(n_rows, n_blocks, "n_blocks")
    return _lazy(_patch_block, (lengths(cuts), (columns,)), np.float32, size=size, chosen=chosen)


def chosen_photos(size: int, photo: Photo | None) -> tuple[Photo, ...]:
    """Return the photos to cut patches of this size from, after checks of both options."""
    whole_number(size, "size", most=min(HEIGHT, WIDTH))
    if photo is not None and photo not in NAMES:
        raise InvalidOption(f"photo: must be 'china', 'flower' or None for both, not {photo!r}.")
    return NAMES if photo is None else (photo,)


def patches_per_photo(size: int) -> int:
    """Return the number of squares of ``size`` × ``size`` pixels in one photo."""
    return (HEIGHT - size + 1) * (WIDTH - size + 1)


def _lazy(
    function: Callable[..., Array], chunks: tuple[tuple[int, ...], ...], dtype: type[np.generic], **options: Any
) -> DaskArray:
    import dask.array as da

    library = array_library()
    meta = as_library(np.empty((0,) * len(chunks), dtype), library)
    made: DaskArray = da.map_blocks(function, chunks=chunks, dtype=dtype, meta=meta, library=library, **options)
    return made


# -- on the workers ------------------------------------------------------------------------------


def _photo_block(*, library: ArrayLibrary, block_info: Any = None) -> Array:
    start = block_info[None]["array-location"][0][0]
    return as_library(_loaded(NAMES[start])[None], library)


def _patch_block(*, size: int, chosen: tuple[Photo, ...], library: ArrayLibrary, block_info: Any = None) -> Array:
    start, stop = block_info[None]["array-location"][0]
    each = patches_per_photo(size)
    parts = []
    for number, photo in enumerate(chosen):
        first, last = max(start, number * each) - number * each, min(stop, (number + 1) * each) - number * each
        if first < last:
            parts.append(_cut_out(photo, size, first, last))
    rows = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return as_library(rows, library)


def _cut_out(photo: Photo, size: int, start: int, stop: int) -> NDArray[np.float32]:
    """Return the squares of these numbers, counted line by line."""
    across = WIDTH - size + 1
    first_line, last_line = start // across, (stop - 1) // across
    strip = _loaded(photo)[first_line : last_line + size]
    squares = np.lib.stride_tricks.sliding_window_view(strip, (size, size), axis=(0, 1))
    rows = squares.transpose(0, 1, 3, 4, 2).reshape(-1, size * size * CHANNELS)
    wanted = rows[start - first_line * across : stop - first_line * across]
    return np.divide(wanted, np.float32(255), dtype=np.float32)


@lru_cache(maxsize=len(NAMES))
def _loaded(photo: Photo) -> NDArray[np.uint8]:
    from sklearn.datasets import load_sample_image

    return np.array(load_sample_image(f"{photo}.jpg"))


DIGITS, PIXELS_OF_A_DIGIT = 1797, 64


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
    rows = lengths(even_cuts(DIGITS, 1 if n_blocks is None else n_blocks, "n_blocks"))
    X = da.map_blocks(
        _digits_block, chunks=(rows, (PIXELS_OF_A_DIGIT,)), dtype=np.float64, part=0, library=library,
        meta=as_library(np.empty((0, 0)), library),
    )  # fmt: skip
    y = da.map_blocks(
        _digits_block, chunks=(rows,), dtype=np.int64, part=1, library=library,
        meta=as_library(np.empty(0, np.int64), library),
    )  # fmt: skip
    return X, y


def _digits_block(*, part: int, library: ArrayLibrary, block_info: Any = None) -> Array:
    start, stop = block_info[None]["array-location"][0]
    return as_library(_loaded_digits()[part][start:stop], library)


@lru_cache(maxsize=1)
def _loaded_digits() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return X.astype(np.float64), y.astype(np.int64)
