"""What checks of several lessons require of an answer: N values, numbers and arrays of a shape, words of a key."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .examination import Examination, Halt, describe
from .material.conversion import as_numpy

Floats = NDArray[np.float64]
_WORDS = {2: "two", 3: "three"}


def several(exam: Examination, result: Any, *names: str) -> list[Any]:
    """Take the things that a function returns, in order; arrays of devices as NumPy arrays."""
    in_order = isinstance(result, (tuple, list)) or (isinstance(result, np.ndarray) and result.ndim == 1)
    right = in_order and len(result) == len(names)
    listed = " and ".join(names) if len(names) == 2 else ", ".join(names)
    exam.require(f"It returns {_WORDS[len(names)]} values: {listed}", right, describe(result))
    return [as_numpy(item) for item in result]


def number(exam: Examination, value: Any, what: str) -> float:
    """Return the value as a finite number, or end the examination."""
    try:
        if isinstance(value, str):
            raise TypeError("digits in a string are not a number")
        found = float(value)
    except (TypeError, ValueError):
        exam.require(f"{what} is one number", False, describe(value))
        raise Halt from None
    exam.require(f"{what} is a finite number", math.isfinite(found), f"it is {found}")
    return found


def numbers(exam: Examination, value: Any, what: str, shape: tuple[int, ...] | None = None) -> Floats:
    """Return the value as an array of finite numbers, of this shape where one is asked for, or end the examination."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        exam.require(f"{what} contains numbers", False, describe(value))
        raise Halt from None
    if shape is not None:
        exam.require(f"{what} has the right shape", array.shape == shape, f"shape {array.shape} instead of {shape}")
    exam.require(f"{what} has only finite numbers", np.isfinite(array).all(), "some are NaN or infinite")
    return array


def relative_gap(found: Any, true: Any) -> float:
    """Return the largest difference, as a share of the largest true number."""
    true = np.asarray(true, dtype=float)
    return float(np.abs(np.asarray(found, dtype=float) - true).max() / max(float(np.abs(true).max()), 1e-300))


def random_cuts(rng: np.random.Generator, n: int, parts: int) -> list[slice]:
    """Cut n rows at random places into parts that are not empty."""
    places = np.sort(rng.choice(np.arange(1, n), size=parts - 1, replace=False))
    edges = [0, *(int(place) for place in places), n]
    return [slice(start, stop) for start, stop in itertools.pairwise(edges)]


def in_blocks(points: Any, sizes: Sequence[int]) -> Any:
    """Return a Dask array with blocks of these sizes, in the array library of the lesson."""
    import dask.array as da

    return da.from_array(points, chunks=(tuple(sizes), *points.shape[1:])).to_backend()


def on_workers(client: Any, points: Any, sizes: Sequence[int]) -> list[Any]:
    """Put blocks of these sizes on the workers, and return their futures."""
    return list(client.compute(list(in_blocks(points, sizes).to_delayed().ravel())))


def wrong_choices(
    exam: Examination, choices: Any, key: Mapping[str, tuple[str, str]], words: Collection[str], *, each: str, name: str
) -> list[str]:
    """Return the cases whose word is not the key's.

    Parameters
    ----------
    choices : dict
        The answer: a word for each case.
    key : mapping
        The right word of each case, and what to think of where it was not found.
    words : collection of str
        Those allowed, in small letters.
    each, name : str
        What a case and what the answer is called.
    """
    exam.require(f"{name} is a dictionary", isinstance(choices, dict), describe(choices))
    missing = [case for case in key if choices.get(case) in (None, ...)]
    exam.require(f"Each {each} is there", not missing, f"without one: {', '.join(missing)}")
    said = {case: str(choices[case]).strip().lower() for case in key}
    unknown = [case for case in key if said[case] not in words]
    exam.require("Each is one of the five words", not unknown,
                 f"{unknown[0]} is {choices[unknown[0]]!r}" if unknown else "")  # fmt: skip
    return [case for case, (word, _) in key.items() if said[case] != word.lower()]
