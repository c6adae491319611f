"""Lesson 07, singular values of a tall table through a tree of small QR decompositions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....protocol.plain_text import counted
from ...examination import Examination, Halt, describe
from ...probes.fanin import FanIn
from ...probes.transfers import Traffic
from .. import exercise
from ..answers import Floats, numbers, on_workers, relative_gap, several


@exercise("07.6", "tall_svd")
def check_tall_svd(exam: Examination, tall_svd: Any) -> None:
    """All digits of all singular values, however the rows are cut; a tree of the right depth."""
    for count, d, smallest in ((1, 6, 1e-2), (3, 6, 1e-9), (7, 6, 1e-9), (21, 12, 1e-9)):
        n = 3000
        table, true = _graded(exam.rng, n, d, smallest)
        sizes = _sizes(exam.rng, n, d, count)
        parts = on_workers(exam.client, table, sizes)
        with FanIn(exam.client, parts) as fan_in, Traffic(exam.client) as traffic:
            result = exam.call(tall_svd, exam.client, parts)
        values, vectors, levels = several(exam, result, "singular values", "Vt", "levels")
        values = numbers(exam, values, "singular values", (d,))
        vectors = numbers(exam, vectors, "Vt", (d, d))
        gap = relative_gap(values, true)
        exam.expect("The singular values are those of the whole table, to 1e-8", gap < 1e-8,
                    f"relative difference {gap:.2g}, blocks of {sizes} rows")  # fmt: skip
        last = abs(values[-1] / true[-1] - 1)
        exam.expect(
            "Also the smallest one is right, although it is a billion times smaller than the largest",
            last < 1e-4,
            f"it is {values[-1]:.4g} instead of {true[-1]:.4g}; the largest is {true[0]:.4g}",
        )
        gap = float(np.abs(vectors @ vectors.T - np.eye(d)).max())
        exam.expect("The rows of Vt have length 1 and are orthogonal", gap < 1e-9, f"off by {gap:.2g}")
        lengths = np.linalg.norm(table @ vectors.T, axis=0)
        gap = relative_gap(lengths[:3], true[:3])
        exam.expect("Row i of Vt is the direction along which the table has the singular value i", gap < 1e-8,
                    f"relative difference {gap:.2g}")  # fmt: skip
        _expect_levels(exam, levels, count)
        _expect_tree(exam, fan_in, count)
        exam.expect("The rows stay on the workers: at most a few matrices of d × d numbers travel",
                    traffic.bytes < 4 * 8 * d * d + 2000, f"{traffic.bytes:,} bytes left the workers, the table has "
                    f"{table.nbytes:,}")  # fmt: skip


def _expect_tree(exam: Examination, fan_in: FanIn, count: int) -> None:
    """Tasks on the workers join pairs, and wait for each other as in a tree; there may be one for each conversion."""
    exam.expect(
        "The tree is real: no task reads more than one block, or more than two matrices",
        fan_in.most_blocks <= 1 and fan_in.most <= 2,
        f"one reads {fan_in.most_blocks} blocks; the most that are read at once is {fan_in.most}",
    )
    joined = count == 1 or fan_in.most > 1
    exam.expect("Pairs are joined on the workers", joined, "no task of theirs reads two matrices" * (not joined))
    longest = 2 * (count - 1).bit_length() + 4
    exam.expect(
        "The joins are a tree, not a chain: few tasks wait for each other",
        fan_in.longest <= longest,
        f"of {counted(count, 'block')}, {fan_in.longest} tasks wait for each other",
    )


def _graded(rng: np.random.Generator, n: int, d: int, smallest: float) -> tuple[Floats, Floats]:
    """A table with known singular values, from 100 down to 100 × smallest."""
    left, _ = np.linalg.qr(rng.normal(size=(n, d)))
    right, _ = np.linalg.qr(rng.normal(size=(d, d)))
    values = 100 * np.geomspace(1, smallest, d)
    return (left * values) @ right.T, values


def _sizes(rng: np.random.Generator, n: int, d: int, count: int) -> list[int]:
    """Blocks of different size; the first of several has fewer rows than columns."""
    if count == 1:
        return [n]
    short = int(rng.integers(1, d))
    cuts = np.sort(rng.choice(np.arange(50, n - short - 50, 10), count - 2, replace=False))
    return [short, *(int(size) for size in np.diff([0, *cuts, n - short]))]


def _expect_levels(exam: Examination, levels: Any, count: int) -> None:
    try:
        found = [int(size) for size in levels]
    except (TypeError, ValueError):
        exam.require("levels is a list of whole numbers", False, describe(levels))
        raise Halt from None
    wanted = [count]
    while wanted[-1] > 1:
        wanted.append(-(-wanted[-1] // 2))
    exam.expect(
        "levels counts the matrices of each level: one per block at first, then pairs are joined until one is left",
        found == wanted,
        f"{found} for {counted(count, 'block')}",
    )
