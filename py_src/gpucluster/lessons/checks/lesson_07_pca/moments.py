"""Lesson 07, what a block contributes: sums that add up, and moments that are merged."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from ...examination import Examination
from .. import exercise
from ..answers import Floats, numbers, relative_gap, several
from .tables import mixed_table, split


@exercise("07.1", "moments", "covariance")
def check_moments(exam: Examination, moments: Any, covariance: Any) -> None:
    """n, Σx and XᵀX add up over any split, and give the covariance matrix."""
    for n, d, count in [(9, 3, 2), (40, 5, 4), (300, 6, 7)]:
        table = mixed_table(exam.rng, n, d)
        whole = _sums(exam, moments, table)
        exam.expect("n counts the rows", whole[0] == n, f"{whole[0]:g} for {n} rows")
        gap = relative_gap(whole[1], table.sum(axis=0))
        exam.expect("sums are the sums of the columns", gap < 1e-9, f"relative difference {gap:.2g}")
        gap = relative_gap(whole[2], table.T @ table)
        exam.expect(
            "products is XᵀX: one number for each pair of columns", gap < 1e-9, f"relative difference {gap:.2g}"
        )
        parts = [_sums(exam, moments, part) for part in split(exam.rng, table, count)]
        total = [sum(values) for values in zip(*parts, strict=True)]
        gap = max(relative_gap(np.asarray(a), np.asarray(b)) for a, b in zip(total, whole, strict=True))
        exam.expect("The results of the parts add up to those of the whole", gap < 1e-9,
                    f"relative difference {gap:.2g} for {count} parts of {n} rows")  # fmt: skip
        found = numbers(exam, exam.call(covariance, n, *total[1:]), "The covariance matrix", (d, d))
        gap = float(np.abs(found - np.cov(table.T)).max())
        exam.expect("The covariance matrix is that of np.cov", gap < 1e-8,
                    f"largest difference {gap:.2g} for {n} rows")  # fmt: skip
    table = mixed_table(exam.rng, 4000, 4).astype(np.float32)
    wide = table.astype(float)
    of_floats = _sums(exam, moments, table)
    gap = max(relative_gap(of_floats[1], wide.sum(axis=0)), relative_gap(of_floats[2], wide.T @ wide))
    exam.expect("Blocks of float32 are added up in float64", gap < 1e-10, f"relative difference {gap:.2g}")


def _sums(exam: Examination, moments: Any, table: Any) -> list[Any]:
    d = table.shape[1]
    n, sums, products = several(exam, exam.call(moments, table), "n", "sums", "products")
    return [
        float(numbers(exam, n, "n", ())),
        numbers(exam, sums, "sums", (d,)),
        numbers(exam, products, "products", (d, d)),
    ]


@exercise("07.3", "block_moments", "merge")
def check_merge(exam: Examination, block_moments: Any, merge: Any) -> None:
    """Moments about the mean merge to those of the whole, and keep their digits far from zero."""
    for n, d, count in [(12, 3, 2), (60, 4, 3), (400, 5, 7)]:
        table = mixed_table(exam.rng, n, d)
        gap = relative_gap(_about_mean(exam, block_moments, table)[2], np.cov(table.T) * (n - 1))
        exam.expect("The products of a block are sums over its rows, about their mean, not divided by n or n − 1",
                    gap < 1e-8, f"relative difference {gap:.2g} for {n} rows")  # fmt: skip
        parts = [_about_mean(exam, block_moments, part) for part in split(exam.rng, table, count)]
        _expect_whole(exam, parts, parts[0] if count == 1 else _merged(exam, merge, parts), table)
        backwards = _merged(exam, merge, parts[::-1])
        gap = relative_gap(backwards[2], _merged(exam, merge, parts)[2])
        exam.expect("The order of merging does not matter", gap < 1e-9, f"relative difference {gap:.2g}")
    for shift in (1000.0, 5000.0):
        table = (exam.rng.normal(size=(6000, 4)) + shift * exam.rng.uniform(0.8, 1.2, 4)).astype(np.float32)
        true = np.cov(table.astype(float).T)
        blocks = split(exam.rng, table, 5)
        parts = [_about_mean(exam, block_moments, block) for block in blocks]
        gaps = [
            relative_gap(part[1], block.mean(axis=0, dtype=float)) for part, block in zip(parts, blocks, strict=True)
        ]
        exam.expect("The mean of a block of float32 is added up in float64", max(gaps) < 1e-12,
                    f"relative difference {max(gaps):.2g}, for columns near {shift:,.0f}")  # fmt: skip
        total, _, centred = _merged(exam, merge, parts)
        mine = float(np.abs(centred / (total - 1) - true).max())
        naive = float(np.abs(one_pass_float32(table) - true).max())
        exam.expect(
            "Far from zero, the error of the variances is at least 100 times smaller than with one pass in float32",
            mine * 100 < naive,
            f"your error {mine:.2g}, one pass {naive:.2g}, for columns near {shift:,.0f}",
        )
    _expect_digits(exam, block_moments, merge)


def _expect_digits(exam: Examination, block_moments: Any, merge: Any) -> None:
    """Blocks of float64, so far from zero that one pass in float64 has no digit left."""
    table = exam.rng.normal(size=(3000, 4)) + 1e8 * exam.rng.uniform(0.8, 1.2, 4)
    parts = [_about_mean(exam, block_moments, block) for block in split(exam.rng, table, 5)]
    total, _, centred = _merged(exam, merge, parts)
    off = relative_gap(centred / (total - 1), np.cov(table.T))
    exam.expect(
        "Blocks of float64 keep their digits as well: the mean is subtracted before anything is squared",
        off < 1e-4,
        f"relative difference {off:.2g}, for columns near 100,000,000",
    )


def one_pass_float32(table: Any) -> Any:
    """Covariance from n, Σx and XᵀX, all in float32: what goes wrong far from zero."""
    n, sums = np.float32(len(table)), table.sum(axis=0)
    return (table.T @ table - np.outer(sums, sums) / n) / (n - 1)


def _about_mean(exam: Examination, block_moments: Any, part: Any) -> tuple[float, Floats, Floats]:
    d = part.shape[1]
    result = exam.call(block_moments, part)
    products = several(exam, result, "n", "mean", "products about the mean")[2]
    if len(part) == 1 and np.asarray(products).dtype.kind == "f":
        finite = bool(np.isfinite(products).all())
        exam.require("The products of a block of one row are 0", finite, "some are NaN or infinite: divided by n − 1?")
    return _three(exam, result, d)


def _merged(exam: Examination, merge: Any, parts: list[Any]) -> tuple[float, Floats, Floats]:
    d = len(parts[0][1])

    def one(first: Any, second: Any) -> Any:
        return _three(exam, exam.call(merge, first, second), d)

    merged: tuple[float, Floats, Floats] = reduce(one, parts)
    return merged


def _three(exam: Examination, result: Any, d: int) -> tuple[float, Floats, Floats]:
    n, mean, centred = several(exam, result, "n", "mean", "products about the mean")
    checked = (
        float(numbers(exam, n, "n", ())),
        numbers(exam, mean, "mean", (d,)),
        numbers(exam, centred, "products about the mean", (d, d)),
    )
    types = [np.asarray(value).dtype for value in (mean, centred)]
    exam.expect(
        "Mean and products are float64", all(type_ == np.float64 for type_ in types), " and ".join(map(str, types))
    )
    return checked


def _expect_whole(exam: Examination, parts: list[Any], merged: Any, table: Floats) -> None:
    n, mean, centred = merged
    sizes = " + ".join(f"{part[0]:g}" for part in parts)
    exam.expect("n adds up", n == len(table), f"{sizes} rows give {n:g}")
    gap = float(np.abs(mean - table.mean(axis=0)).max())
    exam.expect("The merged mean is the mean of all rows", gap < 1e-9, f"largest difference {gap:.2g} for {sizes} rows")
    true = np.cov(table.T) * (len(table) - 1)
    gap = relative_gap(centred, true)
    exam.expect("The merged products are those of all rows about their common mean", gap < 1e-8,
                f"relative difference {gap:.2g} for {sizes} rows")  # fmt: skip
