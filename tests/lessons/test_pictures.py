"""Pictures as tables of tiles, and back."""

from __future__ import annotations

import numpy as np
from gpucluster.datasets import patches
from gpucluster.lessons.material.pictures import cut_tiles, load_photo, paste_tiles


def test_tiles_give_the_picture_back() -> None:
    photo = load_photo()
    tiles = cut_tiles(photo, 16)
    assert tiles.shape == (26 * 40, 768)
    assert tiles.min() >= 0 and tiles.max() <= 1
    np.testing.assert_array_equal(paste_tiles(tiles, 16, 40), photo[: 26 * 16, : 40 * 16])


def test_a_tile_is_laid_out_as_a_patch() -> None:
    first = patches(16, photo="china").blocks[0][0].compute(scheduler="synchronous")
    np.testing.assert_allclose(cut_tiles(load_photo(), 16)[0], first, atol=1e-6)


def test_values_outside_are_cut_off() -> None:
    picture = paste_tiles(np.array([[-0.5, 0.5, 1.5]]), 1, 1)
    assert picture.tolist() == [[[0, 128, 255]]]
