"""Combining two messages."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from gpucluster.learn.communicators import combine
from gpucluster.learn.errors import InvalidOperator


class Sums(NamedTuple):
    count: float
    values: np.ndarray


def test_parts_are_combined_one_by_one():
    one, other = Sums(1.0, np.array([1.0, 5.0])), Sums(2.0, np.array([3.0, 4.0]))
    total = combine("sum", one, other)
    assert isinstance(total, Sums)
    assert total.count == 3.0 and total.values.tolist() == [4.0, 9.0]
    assert combine("max", one, other).values.tolist() == [3.0, 5.0]
    assert combine("min", {"a": 1, "b": (4, 2)}, {"a": 3, "b": (0, 9)}) == {"a": 1, "b": (0, 2)}


def test_none_is_the_neutral_element():
    assert combine("sum", None, 3) == 3
    assert combine("max", 3, None) == 3
    assert combine("sum", None, None) is None


def test_a_function_gets_whole_messages():
    assert combine(lambda one, other: one + ["then", *other], ["a"], ["b"]) == ["a", "then", "b"]


def test_an_unknown_operator():
    with pytest.raises(InvalidOperator, match="'sum', 'min', 'max' or a function"):
        combine("mean", 1, 2)  # type: ignore[arg-type]


def test_different_structures_are_an_error():
    with pytest.raises(ValueError, match="zip"):
        combine("sum", (1, 2), (1,))
