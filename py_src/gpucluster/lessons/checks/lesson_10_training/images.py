"""Lesson 10, images that do not fit: tiles with a border of their neighbours' pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, Halt, describe
from .. import exercise
from ..answers import number


@exercise("10.12", "image_bytes", "tiles")
def check_tiles(exam: Examination, image_bytes: Any, tiles: Any) -> None:
    """Cores cover each pixel once, and what is around them has the halo, but ends where the image does."""
    for height, width, given in ((100_000, 100_000, ()), (427, 640, (3, 1)), (1024, 1024, (3, 4)), (7, 5, (1, 2))):
        channels, itemsize = given or (3, 1)
        found = number(exam, exam.call(image_bytes, height, width, *given), "The number of bytes")
        exam.expect("The bytes of an image are right", found == height * width * channels * itemsize,
                    f"{found:,.0f} for {height:,} x {width:,} pixels, {channels} x {itemsize} bytes each")  # fmt: skip
    cases = [(20, 30, 10, 2), (20, 31, 10, 0), (7, 9, 4, 1), (5, 5, 8, 3), (64, 64, 16, 5), (1, 13, 4, 2)]
    for _ in range(10):
        height, width = (int(one) for one in exam.rng.integers(1, 60, 2))
        cases.append((height, width, int(exam.rng.integers(1, 40)), int(exam.rng.integers(0, 7))))
    for height, width, size, halo in cases:
        _expect_tiles(exam, tiles, height, width, size, halo)
        if not exam.passed:
            return


def _expect_tiles(exam: Examination, tiles: Any, height: int, width: int, size: int, halo: int) -> None:
    case = f"{height} x {width} pixels, tiles of {size}, halo {halo}"
    result = exam.call(tiles, height, width, size, halo)
    try:
        pairs = [(_edges(core, height, width), _edges(around, height, width)) for core, around in result]
    except (TypeError, ValueError, AttributeError):
        exam.require(
            "It returns pairs: the core and what is around, each two slices", False, f"{describe(result)}; {case}"
        )
        raise Halt from None
    seen = np.zeros((height, width), dtype=int)
    for (top, bottom, left, right), _ in pairs:
        seen[top:bottom, left:right] += 1
    exam.expect("Each pixel is in the core of exactly one tile", (seen == 1).all(),
                f"{int((seen == 0).sum())} in none, {int((seen > 1).sum())} in several; {case}")  # fmt: skip
    n_tiles = -(-height // size) * -(-width // size)
    exam.expect("There are as few tiles as possible", len(pairs) == n_tiles,
                f"{len(pairs)} tiles, expected {n_tiles}; {case}")  # fmt: skip
    largest = max((max(bottom - top, right - left) for (top, bottom, left, right), _ in pairs), default=0)
    exam.expect("No core is larger than a tile", largest <= size, f"{largest} pixels; {case}")
    beyond = [core for core, _ in pairs if core[1] > height or core[3] > width]
    exam.expect("No core goes beyond the image", not beyond, f"{beyond[0]}; {case}" if beyond else f"none; {case}")
    for core, around in pairs:
        top, bottom, left, right = core
        true = (max(0, top - halo), min(height, bottom + halo), max(0, left - halo), min(width, right + halo))
        exam.expect("Around a core lie as many pixels as the halo says, but none beyond the image", around == true,
                    f"core {core}, around {around}, expected {true}; {case}")  # fmt: skip


def _edges(pair: Any, height: int, width: int) -> tuple[int, int, int, int]:
    rows, columns = pair
    if not (isinstance(rows, slice) and isinstance(columns, slice)):
        raise TypeError("no slices")
    for one in (rows, columns):
        if one.step not in (None, 1) or (one.start is not None and one.start < 0):
            raise ValueError("a slice with a step or from the end")
    top, bottom = rows.start or 0, height if rows.stop is None else rows.stop
    left, right = columns.start or 0, width if columns.stop is None else columns.stop
    return int(top), int(bottom), int(left), int(right)
