"""Lesson 07, pictures from few numbers: reconstruction, and how good it is."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...material.pictures import cut_tiles, load_photo
from .. import exercise
from ..answers import number, numbers, relative_gap
from .tables import mixed_table

COUNTS = (4, 16, 64)


@exercise("07.5", "reconstruct", "psnr", "quality")
def check_reconstruction(exam: Examination, reconstruct: Any, psnr: Any, quality: Any) -> None:
    """A projection that loses what the left-out components hold; PSNR as defined; better with more components."""
    _expect_projection(exam, reconstruct)
    _expect_psnr(exam, psnr)
    _expect_quality(exam, quality)


def _expect_projection(exam: Examination, reconstruct: Any) -> None:
    n, d = 200, 6
    table = mixed_table(exam.rng, n, d)
    mean = table.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(table.T))
    values, components = values[::-1], vectors[:, ::-1].T
    for k in (1, 3, d):
        back = numbers(exam, exam.call(reconstruct, table, mean, components[:k].copy()), "The reconstruction", (n, d))
        lost = float(((table - back) ** 2).sum()) / (n - 1)
        left_out = float(values[k:].sum())
        exam.expect(
            "What is lost is the variance of the components that are left out; with all of them, nothing",
            abs(lost - left_out) < 1e-8 * values.sum(),
            f"lost {lost:.4g}, left out {left_out:.4g}, with {k} of {d} components",
        )
        few = numbers(exam, exam.call(reconstruct, table[:9].copy(), mean, components[:k].copy()), "The reconstruction",
                      (9, d))  # fmt: skip
        gap = relative_gap(few, back[:9])
        exam.expect(
            "The mean is the one that is given, whatever the rows", gap < 1e-9, f"relative difference {gap:.2g}"
        )
        again = numbers(exam, exam.call(reconstruct, back, mean, components[:k].copy()), "The reconstruction", (n, d))
        gap = relative_gap(again, back)
        exam.expect("Reconstructing a reconstruction changes nothing", gap < 1e-9, f"relative difference {gap:.2g}")


def _expect_psnr(exam: Examination, psnr: Any) -> None:
    image = exam.rng.random((7, 9, 3))
    for error in (0.1, 0.01, 0.3):
        noise = exam.rng.choice([-error, error], image.shape)
        value = number(exam, exam.call(psnr, image.copy(), image + noise), "psnr")
        true = -20 * np.log10(error)
        exam.expect(
            "PSNR is 10 log10(1 / mean squared error), in decibels",
            abs(value - true) < 1e-6,
            f"{value:.3f} dB when every value is off by {error:g}; expected {true:.3f}",
        )

    noise = exam.rng.normal(size=image.shape) * np.linspace(0.01, 0.3, len(image))[:, None, None]
    value, true = number(exam, exam.call(psnr, image.copy(), image + noise), "psnr"), -10 * np.log10((noise**2).mean())
    exam.expect("The mean is that of the squared errors of all values", abs(value - true) < 1e-6,
                f"{value:.3f} dB, expected {true:.3f}, where some rows are worse than others")  # fmt: skip


def _expect_quality(exam: Examination, quality: Any) -> None:
    exam.require("quality is a dictionary {number of components: PSNR}", isinstance(quality, dict), describe(quality))
    exam.require(f"It has {', '.join(map(str, COUNTS))} components", set(quality) == set(COUNTS), f"{sorted(quality)}")
    found = [number(exam, quality[k], "Each PSNR") for k in COUNTS]
    text = ", ".join(f"{k}: {value:.2f} dB" for k, value in zip(COUNTS, found, strict=True))
    exam.expect("PSNR rises with the number of components", found == sorted(set(found)), text)
    best = _best_possible(16)
    # Components of all patches of two photos serve one photo nearly as well as its own would, and never better.
    fits = all(best[k] - 1.5 < value < best[k] + 0.01 for k, value in zip(COUNTS, found, strict=True))
    fits &= found[0] > best[COUNTS[0]] - 0.25  # one component less would cost 0.4 dB
    exam.expect(
        "The values are possible for 16 × 16 tiles of this photo: close to the best, and not above it", fits, text
    )


@cache
def _best_possible(size: int) -> dict[int, float]:
    """What components of the photo's own tiles would reach: no other directions lose less."""
    tiles = cut_tiles(load_photo(), size)
    centred = tiles - tiles.mean(axis=0)
    values = np.linalg.eigvalsh(centred.T @ centred)[::-1]
    return {k: float(-10 * np.log10(values[k:].sum() / tiles.size)) for k in COUNTS}
