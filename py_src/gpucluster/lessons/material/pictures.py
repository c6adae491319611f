"""The photo of the lessons, how big a picture is as a file, and pictures as tables of square tiles."""

from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

ATTRIBUTION = "Photo “china.jpg” by danielbuechele, CC BY 2.0, bundled with scikit-learn"


def load_photo() -> NDArray[np.uint8]:
    """Return the temple photo that scikit-learn bundles: 427 × 640 pixels, 3 channels of 8 bits."""
    from sklearn.datasets import load_sample_image

    photo: NDArray[np.uint8] = np.array(load_sample_image("china.jpg"))
    return photo


def distinct_colours(image: Any) -> tuple[NDArray[np.uint8], NDArray[np.intp], NDArray[np.intp]]:
    """Return the colours of a picture, the number of each pixel's colour, and how often each occurs."""
    flat = np.asarray(image).reshape(-1, 3).astype(np.uint32)
    # One number per colour: sorting numbers is much faster than sorting rows.
    packed, index, counts = np.unique(
        flat[:, 0] << 16 | flat[:, 1] << 8 | flat[:, 2], return_inverse=True, return_counts=True
    )
    colours = np.stack([packed >> 16, packed >> 8 & 255, packed & 255], axis=1).astype(np.uint8)
    return colours, index, counts


def png_bytes(image: Any) -> int:
    """Return the size of a picture as a PNG file, which loses nothing.

    Parameters
    ----------
    image : array of height × width × 3 8-bit numbers
        A picture with at most 256 colours is stored with a palette, as any good program would.
    """
    from PIL import Image

    picture = np.ascontiguousarray(image)
    colours, index, _ = distinct_colours(picture)
    if len(colours) <= 256:
        drawn = Image.fromarray(index.reshape(picture.shape[:2]).astype(np.uint8))
        drawn.putpalette(colours.tobytes())
    else:
        drawn = Image.fromarray(picture)
    file = BytesIO()
    drawn.save(file, format="PNG", optimize=True)
    return file.tell()


def cut_tiles(picture: Any, size: int) -> NDArray[np.float64]:
    """Cut a picture into squares side by side; what is left over at the right and below is dropped.

    Parameters
    ----------
    picture : array of height × width × 3 8-bit numbers
    size : int
        Side of the squares in pixels.

    Returns
    -------
    array of shape (n_tiles, size × size × 3)
        Values from 0 to 1; line by line, as the rows of `gpucluster.datasets.patches`.
    """
    height, width, channels = np.shape(picture)
    down, across = height // size, width // size
    kept = np.asarray(picture)[: down * size, : across * size] / 255
    grid = kept.reshape(down, size, across, size, channels).swapaxes(1, 2)
    tiles: NDArray[np.float64] = grid.reshape(down * across, size * size * channels)
    return tiles


def paste_tiles(tiles: Any, size: int, across: int) -> NDArray[np.uint8]:
    """Put tiles side by side again, ``across`` in a line, as a picture of 8-bit numbers."""
    rows = np.asarray(tiles)
    grid = rows.reshape(-1, across, size, size, rows.shape[1] // size**2).swapaxes(1, 2)
    picture = grid.reshape(grid.shape[0] * size, across * size, grid.shape[-1])
    drawn: NDArray[np.uint8] = (np.clip(picture, 0, 1) * 255).round().astype(np.uint8)
    return drawn
