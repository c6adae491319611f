"""Lesson 07, what all its checks ask of an answer: so many things, and arrays of the right shape."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...examination import Examination, Halt, describe
from ...material.conversion import as_numpy

Floats = NDArray[np.float64]


def several(exam: Examination, result: Any, *names: str) -> list[Any]:
    """Take the things that a function returns, in order."""
    right = isinstance(result, (tuple, list)) and len(result) == len(names)
    exam.require(f"It returns {len(names)} things: {', '.join(names)}", right, describe(result))
    return [as_numpy(item) for item in result]


def numbers(exam: Examination, name: str, value: Any, shape: tuple[int, ...]) -> Floats:
    """Take an array of finite numbers of this shape."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        exam.require(f"{name} is made of numbers", False, describe(value))
        raise Halt from None
    exam.require(f"{name} has the right shape", array.shape == shape, f"shape {array.shape} instead of {shape}")
    exam.require(f"{name} has only finite numbers", np.isfinite(array).all(), "some are NaN or infinite")
    return array


def relative_gap(found: Floats, true: Floats) -> float:
    """Largest difference, as a share of the largest true number."""
    return float(np.abs(found - true).max() / max(float(np.abs(true).max()), 1e-300))


def mixed_table(rng: np.random.Generator, n: int, d: int, spread: float = 3.0) -> Floats:
    """Return rows whose columns depend on each other, with clearly different principal variances, away from zero."""
    directions, _ = np.linalg.qr(rng.normal(size=(d, d)))
    sizes = np.geomspace(spread, spread / 30, d)
    table: Floats = (rng.normal(size=(n, d)) * sizes) @ directions.T + rng.normal(0, 2, d)
    return table


def split(rng: np.random.Generator, table: Floats, count: int) -> list[Floats]:
    """Cut a table into parts of clearly different size."""
    cuts = np.sort(rng.choice(np.arange(1, len(table)), count - 1, replace=False))
    return np.split(table, cuts)
