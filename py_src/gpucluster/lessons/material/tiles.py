"""Pictures as tables of square tiles, one a row, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


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
