"""Kinds of wrong answers that every check without a cluster meets: the solution, with one fault of that kind.

Where the fault makes no difference, as that of sets where no set is asked for, the check must pass.
"""

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from gpucluster.lessons.checking import check

from tests.lessons.answering import answers_to
from tests.lessons.test_answers import HIDDEN, load_answer

pytestmark = pytest.mark.full
Function = Callable[..., Any]
EXERCISES = [
    *(number for number in HIDDEN if number[:2] not in ("09", "10")),
    "01.1", "01.2", "01.3", "02.1", "02.5", "05.8", "05.9", "07.5", "07.7", "07.8", "08.1", "08.2", "08.3",
    "08.5", "08.8", "08.11", "09.10", "09.11", "10.1", "10.2", "10.3", "10.4", "10.8", "10.9", "10.10",
    "10.11", "10.12", "10.13", "11.1", "11.2", "11.3", "11.4", "11.5", "11.6", "11.7", "11.8", "11.9", "14.1",
    "14.2", "14.3", "14.4", "14.5", "14.6", "14.7", "14.9", "14.10", "14.11", "15.2", "15.3", "15.5", "15.6",
    "15.7", "15.8", "15.9", "15.11", "16.10",
]  # fmt: skip
"""Those that need no cluster, and are quick."""


def cast(value: Any, kind: str, dtype: str) -> Any:
    """Return a value whose numbers of a kind went through a narrower type."""
    if isinstance(value, np.ndarray):
        narrow = value.astype(dtype).astype(value.dtype) if value.dtype.kind == kind else value
        return narrow if (narrow != value).any() else value  # a copy may itself be a fault
    if isinstance(value, (float, np.floating)) and kind == "f":
        return type(value)(np.float16(value))
    if isinstance(value, dict):
        return {key: cast(one, kind, dtype) for key, one in value.items()}
    return type(value)(cast(one, kind, dtype) for one in value) if type(value) in (list, tuple) else value


def changed(result: Callable[[Any], Any]) -> Callable[[Function, list[str]], Function]:
    """Make mutants whose results differ."""

    def mutant(right: Function, acted: list[str]) -> Function:
        def wrong(*given: Any, **named: Any) -> Any:
            value = right(*given, **named)
            other = result(value)
            if repr(other) != repr(value):
                acted.append(repr(value))
            return other

        return wrong

    return mutant


def remembers(right: Function, acted: list[str]) -> Function:
    """Keep results in a default argument, by the shapes of the arguments."""

    def wrong(*given: Any, memory: dict[str, Any] = {}, **named: Any) -> Any:  # noqa: B006 (the fault)
        value = right(*given, **named)
        kept = memory.setdefault(str([(type(one), getattr(one, "shape", None)) for one in given]), value)
        if repr(kept) != repr(value):
            acted.append(repr(value))
        return kept

    return wrong


def changes_arguments(right: Function, acted: list[str]) -> Function:
    """Spoil what it was given, after the result is there."""

    def wrong(*given: Any, **named: Any) -> Any:
        value = right(*given, **named)
        for one in given:
            if isinstance(one, np.ndarray) and one.size and one.dtype.kind in "fi" and one.flags.writeable:
                one.flat[0] += 1
            elif isinstance(one, list) and len(one) > 1 and one[0] != one[-1]:
                one.reverse()
            elif isinstance(one, dict) and one:
                one.popitem()
            else:
                continue
            acted.append(repr(one))
        return value

    return wrong


def swallows(right: Function, acted: list[str]) -> Function:
    """Return None instead of an error."""

    def wrong(*given: Any, **named: Any) -> Any:
        try:
            return right(*given, **named)
        except Exception as error:
            acted.append(repr(error))

    return wrong


MUTANTS: dict[str, Callable[[Function, list[str]], Function]] = {
    "half precision": changed(lambda value: cast(value, "f", "float16")),
    "bytes": changed(lambda value: cast(value, "i", "uint8")),
    "list for set": changed(lambda value: sorted(value, key=repr) if isinstance(value, set) else value),
    "remembers": remembers,
    "changes arguments": changes_arguments,
    "swallows errors": swallows,
}


@pytest.mark.parametrize("kind", MUTANTS)
@pytest.mark.parametrize("number", EXERCISES)
def test_each_kind_is_refused(number: str, kind: str) -> None:
    acted: list[str] = []
    answers = [
        wraps(one)(MUTANTS[kind](one, acted)) if isinstance(one, FunctionType) else one
        for one in load_answer(next(one for one in answers_to(number) if one.right))
    ]
    passed = check(number, *answers, seed=0).passed
    assert passed == (not acted), f"{len(acted)} times, such as {acted[0]:.200}" if acted else "without the fault"
