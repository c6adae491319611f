"""Lesson 14, one reduction for several frameworks: any order, any grouping, contributions that travel and stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import cloudpickle
import numpy as np

from ...examination import Examination, describe
from .. import exercise
from ..answers import number

Rows = list[tuple[str, float | None]]


def random_parts(rng: np.random.Generator, turn: int) -> list[Rows]:
    """Return parts of different length, some empty, some with keys that are never measured."""
    keys = ["EWR", "JFK", "LGA", "TTN", "SWF"][: 1 + turn % 5]
    parts: list[Rows] = []
    for _ in range(1 + int(rng.integers(6))):
        rows: Rows = []
        for _ in range(int(rng.choice([0, 1, 3, 20]))):
            key = str(rng.choice(keys))
            value = [None, 0, float(rng.normal(10, 30)), int(rng.integers(-20, 300))][int(rng.integers(4))]
            rows.append((key, None if key == "SWF" else value))
        parts.append(rows)
    return parts


def true_means(parts: list[Rows]) -> dict[str, float]:
    """Return the mean of each key that has a number."""
    known: dict[str, list[float]] = {}
    for key, value in (row for part in parts for row in part):
        if value is not None:
            known.setdefault(key, []).append(value)
    return {key: sum(values) / len(values) for key, values in known.items()}


@exercise("14.11", "partial", "combine", "finish")
def check_reduction(exam: Examination, partial: Any, combine: Any, finish: Any) -> None:
    """The means are right however the contributions are combined, and each can be used again."""
    for turn in range(40):
        parts = random_parts(exam.rng, turn)
        found = [_travelled(exam, exam.call(partial, part)) for part in parts]
        true = true_means(parts)
        for way, total in (
            ("One after the other", _in_a_row(exam, combine, found)),
            ("In pairs, as a tree", _as_tree(exam, combine, found)),
            ("In another order", _in_a_row(exam, combine, found[::-1])),
        ):
            _right(exam, f"{way}, the means are right", exam.call(finish, total), true)
            _right(exam, "A contribution can be used again", exam.call(finish, total), true)


def _travelled(exam: Examination, contribution: Any) -> Any:
    """Send a contribution as Dask does, between two processes."""
    try:
        return cloudpickle.loads(cloudpickle.dumps(contribution))
    except Exception as error:
        exam.require("A contribution can travel to another process", False, f"{type(error).__name__}: {error}"[:200])
        raise


def _in_a_row(exam: Examination, combine: Any, found: list[Any]) -> Any:
    total = found[0]
    for one in found[1:]:
        total = exam.call(combine, total, one)
    return total


def _as_tree(exam: Examination, combine: Any, found: list[Any]) -> Any:
    while len(found) > 1:
        pairs = [found[place : place + 2] for place in range(0, len(found), 2)]
        found = [exam.call(combine, *pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return found[0]


def _right(exam: Examination, sentence: str, means: Any, true: dict[str, float]) -> None:
    means = means.to_dict() if hasattr(means, "to_dict") else means
    exam.require("finish returns a dictionary", isinstance(means, Mapping), describe(means))
    same = set(means) == set(true)
    exam.expect("All keys with a number are there, and no others", same, f"{sorted(means)} instead of {sorted(true)}")
    if same:
        gap = max(
            (abs(number(exam, means[key], "A mean") - true[key]) / max(1, abs(true[key])) for key in true), default=0
        )
        exam.expect(sentence, gap < 1e-9, f"a mean is off by {gap:.2g} of its size")
