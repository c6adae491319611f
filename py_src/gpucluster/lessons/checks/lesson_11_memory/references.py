"""Lesson 11, references: which variables keep an object alive."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np

from ...examination import Examination, describe
from .. import exercise

Refers = dict[str, list[str]]


def random_references(rng: np.random.Generator, size: int) -> tuple[Refers, list[str], str]:
    """Return who refers to whom, the variables and the object; circles and objects that nobody refers to included."""
    objects = [f"object {place}" for place in range(size)]
    variables = [f"x{place}" for place in range(max(2, size // 2))]
    refers: Refers = {}
    for name in objects:
        others = rng.permutation(objects)[: int(rng.choice([0, 1, 1, 2, 3]))]
        refers[name] = [str(other) for other in others]
    for name in variables:
        refers[name] = [str(rng.choice(objects))] if rng.random() < 0.85 else []
    target = str(rng.choice(objects))
    if rng.random() < 0.7:  # held through a list in a list
        refers[variables[0]], refers[objects[0]], refers[objects[1]] = [objects[0]], [objects[1]], [target]
    names = [str(name) for name in rng.permutation(sorted(refers))]
    return {name: refers[name] for name in names}, [str(one) for one in rng.permutation(variables)], target


def true_holders(refers: Refers, variables: list[str], target: str) -> set[str]:
    """Return the variables from which the target can be reached."""
    reached = {target}
    while more := {name for name, others in refers.items() if name not in reached and reached & set(others)}:
        reached |= more
    return reached & set(variables)


@exercise("11.9", "holders")
def check_holders(exam: Examination, holders: Any) -> None:
    """All variables that lead to the object, over any number of steps, and no others."""
    for turn in range(80):
        refers, variables, target = random_references(exam.rng, 3 + turn % 12)
        copied = {name: list(others) for name, others in refers.items()}
        found = exam.call(holders, copied, list(variables), target)
        exam.require("It returns a set of names", isinstance(found, (Set, list, tuple)), describe(found))
        found = set(found)
        strange = sorted(map(str, found - set(variables)))
        exam.require("All of them are variables", not strange, f"{strange[:1]} is none")
        true = true_holders(refers, variables, target)
        what = f"{len(found)} of {len(variables)} variables"
        missing, more = sorted(true - found), sorted(found - true)
        exam.expect("Every variable is there that leads to the object, directly or over others", not missing,
                    f"{what}, without {missing[:2]}" if missing else what)  # fmt: skip
        exam.expect(
            "No variable is there that does not lead to it", not more, f"{what}, {more[:2]} too many" if more else what
        )
