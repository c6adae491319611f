"""Lesson 06, the recoloured picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...material.pictures import distinct_colours, load_photo, png_bytes
from ...probes.transfers import Traffic
from .. import exercise
from ..answers import Floats, on_workers
from .reference import squared_distances, unequal_sizes

MOST_PER_PIXEL, AROUND = 3, 2000
"""Bytes that may travel for each pixel, and around each block of them."""

REST = 4.0
"""So far a colour may be from the mean of its pixels: it is rounded, and the loop stops within its tolerance."""


@exercise("06.10", "recolour", "pictures")
def check_recolour(exam: Examination, recolour: Any, pictures: Any) -> None:
    """Each pixel gets the colour of its nearest centroid; each picture has exactly k colours."""
    for k, count in ((5, 3), (3, 1)):
        centroids = _distinct_colours(exam, k)
        pixels = np.clip(centroids[exam.rng.integers(0, k, 4001)] + exam.rng.normal(0, 0.1, (4001, 3)), 0, 1)
        parts = on_workers(exam.client, pixels, unequal_sizes(exam.rng, len(pixels), count))
        with Traffic(exam.client) as traffic:
            image = exam.call(recolour, exam.client, parts, centroids.copy())
        _expect_colours(exam, np.asarray(image), pixels, centroids)
        exam.expect(
            f"At most {MOST_PER_PIXEL} bytes per pixel leave the workers (a label fits into one)",
            traffic.bytes < MOST_PER_PIXEL * len(pixels) + AROUND * count,
            f"{traffic.bytes:,} bytes left them, {traffic.bytes / len(pixels):.1f} per pixel",
        )
    _expect_pictures(exam, pictures)


def _distinct_colours(exam: Examination, k: int) -> Floats:
    grid = np.stack(np.meshgrid(*[[0.1, 0.5, 0.9]] * 3), axis=-1).reshape(-1, 3)
    chosen: Floats = exam.rng.permutation(grid)[:k] + exam.rng.uniform(-0.05, 0.05, (k, 3))
    return chosen


def _expect_colours(exam: Examination, image: Any, pixels: Floats, centroids: Floats) -> None:
    n = len(pixels)
    exam.require("There is one colour (red, green, blue) per pixel", image.shape == (n, 3), f"shape {image.shape}")
    exam.require("Colours are 8-bit numbers from 0 to 255", image.dtype == np.uint8, f"dtype {image.dtype}")
    found = len(np.unique(image, axis=0))
    exam.expect("There are exactly k distinct colours", found == len(centroids), f"{found} for k = {len(centroids)}")
    nearest = centroids[squared_distances(pixels, centroids).argmin(axis=1)]
    off = np.abs(image.astype(float) - nearest * 255).max(axis=1)
    exam.expect(
        "Each pixel has the colour of its nearest centroid, in the order of the photo",
        (off <= 1).all(),
        f"{(off <= 1).sum()} of {n} pixels",
    )
    rounded = (off <= 0.5 + 1e-9) | (off > 1)
    exam.expect(
        "Colours are rounded to the nearest whole number, not cut off",
        rounded.all(),
        f"{(~rounded).sum()} of {n} pixels are off by more than half a step",
    )


def _expect_pictures(exam: Examination, pictures: Any) -> None:
    is_dict = isinstance(pictures, dict)
    exam.require("pictures is a dictionary {k: image}", is_dict, describe(pictures))
    exam.require("It has the pictures for k = 4, 8 and 16", set(pictures) == {4, 8, 16}, f"it has {sorted(pictures)}")
    photo = load_photo()
    for k, picture in pictures.items():
        image = np.asarray(picture)
        is_image = image.ndim == 3 and image.shape[2] == 3 and image.dtype == np.uint8
        exam.require("Each picture is an array of height × width × 3 8-bit numbers", is_image,
                     f"shape {image.shape}, dtype {image.dtype} for k = {k}")  # fmt: skip
        exam.require("Each picture has the shape of the photo", image.shape == photo.shape,
                     f"{image.shape} for k = {k}; the photo has {photo.shape}")  # fmt: skip
        _expect_own_colours(exam, photo.reshape(-1, 3), image.reshape(-1, 3), k)
        found = len(distinct_colours(image)[0])
        exam.expect(
            f"The picture for k = {k} has exactly {k} distinct colours",
            found == k,
            f"{found} colours; as PNG {png_bytes(image) / 1000:,.0f} kB",
        )


def _expect_own_colours(exam: Examination, photo: Any, image: Any, k: int) -> None:
    """Expect k-means: each pixel has the nearest colour, and each colour is the mean of its pixels."""
    palette, labels, counts = np.unique(image, axis=0, return_inverse=True, return_counts=True)
    points, labels = photo.astype(float), labels.ravel()
    chosen = exam.rng.choice(len(points), 4000, replace=False)
    distances = squared_distances(points[chosen], palette.astype(float))
    # A colour was rounded: where two are nearly as near, either is right.
    near = np.sqrt(distances[np.arange(len(chosen)), labels[chosen]]) <= np.sqrt(distances.min(axis=1)) + 2
    exam.expect(
        f"In the picture for k = {k}, each pixel of the photo has the nearest of the {k} colours",
        near.all(),
        f"{near.sum():,} of {len(near):,} pixels that were looked at",
    )
    sums = np.stack([np.bincount(labels, points[:, channel], len(palette)) for channel in range(3)], axis=1)
    off = float(np.abs(sums / counts[:, None] - palette).max())
    exam.expect(
        f"Each colour of the picture for k = {k} is the mean of its pixels: k-means has come to rest",
        off < REST,
        f"the largest difference is {off:.1f} of 255",
    )
