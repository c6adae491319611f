"""Lesson 08: how answers made of several arrays are read, cut and added up."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...examination import Examination, Halt, describe

Floats = NDArray[np.float64]


def arrays(exam: Examination, result: Any, names: Sequence[str]) -> list[Floats]:
    """Read a result that must be so many arrays or numbers."""
    listed = isinstance(result, (tuple, list)) and len(result) == len(names)
    exam.require(f"It returns {len(names)} things: {' and '.join(names)}", listed, describe(result))
    try:
        found = [np.asarray(part, dtype=float) for part in result]
    except (TypeError, ValueError):
        exam.require(f"{' and '.join(names)} are numbers", False, " and ".join(describe(part) for part in result))
        raise Halt from None
    for name, part in zip(names, found, strict=True):
        finite = bool(np.isfinite(part).all())
        exam.require("All numbers are finite", finite, "all are" if finite else f"some of {name} are not")
    return found


def shaped(exam: Examination, name: str, found: Any, shape: tuple[int, ...]) -> None:
    """End the examination when an array has another shape."""
    exam.require(f"{name} has the right shape", found.shape == shape, f"shape {found.shape}, expected {shape}")


def cuts(rng: np.random.Generator, n: int, parts: int) -> list[slice]:
    """Cut n rows at random places into parts that are not empty."""
    places = np.sort(rng.choice(np.arange(1, n), size=parts - 1, replace=False))
    edges = [0, *(int(place) for place in places), n]
    return [slice(start, stop) for start, stop in itertools.pairwise(edges)]


def total(results: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """Add up what the blocks gave, one thing after the other."""
    return tuple(sum(values[1:], values[0]) for values in zip(*results, strict=True))


def gap(found: Any, true: Any) -> float:
    """Largest difference, as a share of the largest true number."""
    true = np.asarray(true, dtype=float)
    return float(np.abs(np.asarray(found, dtype=float) - true).max() / max(1e-300, float(np.abs(true).max())))


def in_blocks(points: Any, sizes: Sequence[int]) -> Any:
    """Return a Dask array with blocks of these sizes, in the array library of the lesson."""
    import dask.array as da

    return da.from_array(points, chunks=(tuple(sizes), *points.shape[1:])).to_backend()
