"""Lesson 08, neighbours: the nearest of one block, and the nearest of all blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....protocol.plain_text import counted
from ...examination import Examination, describe
from .. import exercise
from ..answers import Floats, random_cuts
from .answers import arrays


def brute_force(points: Floats, queries: Floats, k: int) -> tuple[Floats, Any]:
    """Distances and numbers of the k nearest points of each query, the nearest first."""
    distances = np.sqrt(((queries[:, None, :] - points[None, :, :]) ** 2).sum(axis=2))
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, order, axis=1), order


@exercise("08.5", "nearest_in_block", "merge_nearest")
def check_neighbours(exam: Examination, nearest_in_block: Any, merge_nearest: Any) -> None:
    """Block by block and merged, the neighbours are those of brute force, however the points are cut."""
    for n, d, k, parts in ((80, 3, 4, 1), (150, 5, 6, 4), (60, 2, 5, 9)):
        points, queries = exam.rng.normal(size=(n, d)), exam.rng.normal(size=(17, d))
        queries[:3] = points[exam.rng.permutation(n)[:3]]  # the nearest of a row is the row itself
        true_distances, true_rows = brute_force(points, queries, k)
        found = []
        for part in random_cuts(exam.rng, n, parts):
            block = points[part]
            result = exam.call(nearest_in_block, block.copy(), part.start, queries.copy(), k)
            distances, rows = arrays(exam, result, ("distances", "rows"))
            _expect_block(exam, block, part.start, queries, k, distances, rows)
            found.append((distances, rows.astype(int)))
        order = exam.rng.permutation(len(found))  # blocks may report in any order
        mixed = [_in_any_order(exam.rng, *found[place]) for place in order]
        result = exam.call(merge_nearest, mixed, k)
        distances, rows = arrays(exam, result, ("distances", "rows"))
        right = distances.shape == rows.shape == true_rows.shape
        exam.require("After merging there are k neighbours for each query", right,
                     f"shapes {distances.shape} and {rows.shape}, expected {true_rows.shape} for k = {k}")  # fmt: skip
        same = float((rows.astype(int) == true_rows).all(axis=1).mean())
        exam.expect(
            "The neighbours are those of brute force over all points, the nearest first",
            same == 1,
            f"{same:.0%} of the queries, with {counted(parts, 'block')} and k = {k}",
        )
        off = float(np.abs(distances - true_distances).max())
        exam.expect("So are their distances", off < 1e-6, f"off by {off:.2g}")


def _in_any_order(rng: np.random.Generator, distances: Floats, rows: Any) -> tuple[Floats, Any]:
    """The neighbours of a block may stand in any order, the same in both arrays."""
    mixed = rng.permutation(distances.shape[1])
    return distances[:, mixed].copy(), rows[:, mixed].copy()


def _expect_block(
    exam: Examination, block: Floats, start: int, queries: Floats, k: int, distances: Floats, rows: Floats
) -> None:
    wanted = min(k, len(block))
    shape = (len(queries), wanted)
    exam.require(
        "A block gives the k nearest of its points for each query, or all it has where it has fewer",
        distances.shape == rows.shape == shape,
        f"shapes {distances.shape} and {rows.shape}, expected {shape}",
    )
    whole = bool((rows == np.floor(rows)).all())
    exam.require("rows are whole numbers", whole, describe(rows))
    inside = bool(((rows >= start) & (rows < start + len(block))).all())
    exam.require(
        "rows are numbers among all points: a block begins at start",
        inside,
        f"{int(rows.min())} to {int(rows.max())} in a block of {len(block)} points that begins at {start}",
    )
    _true, order = brute_force(block, queries, wanted)
    right = bool((np.sort(rows, axis=1) == np.sort(order + start, axis=1)).all())
    exam.expect("They are the nearest points of the block", right, "all are" if right else "some are not")
    own = np.sqrt(((block[rows.astype(int) - start] - queries[:, None, :]) ** 2).sum(axis=2))
    off = float(np.abs(own - distances).max())
    exam.expect("distances are Euclidean, in the order of rows", off < 1e-6, f"off by {off:.2g}")
