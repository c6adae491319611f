"""The checks, one module per group of exercises; found by the number of the lesson."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

_MODULES = {"06": ("kmeans_steps", "kmeans_cluster", "kmeans_library")}


@dataclass(frozen=True)
class CheckedExercise:
    """An exercise and what looks at its answers.

    Attributes
    ----------
    answers : tuple of str
        Names that the answers have in the notebook, in the order ``check`` takes them.
    examine : callable
        Called with an ``Examination`` and the answers.
    """

    id: str
    answers: tuple[str, ...]
    examine: Callable[..., None]


_exercises: dict[str, CheckedExercise] = {}


def exercise(number: str, *answers: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register the function below as the check of an exercise."""

    def register(examine: Callable[..., None]) -> Callable[..., None]:
        _exercises[number] = CheckedExercise(number, answers, examine)
        return examine

    return register


def find_exercise(number: Any) -> CheckedExercise | None:
    """Return the exercise of that number, such as ``"06.2"``."""
    if not isinstance(number, str):
        return None
    for module in _MODULES.get(number.partition(".")[0], ()):
        import_module(f"{__name__}.{module}")
    return _exercises.get(number)


def exercises(lesson: str) -> list[CheckedExercise]:
    """Return all exercises of a lesson that can be checked, in order."""
    for module in _MODULES.get(lesson, ()):
        import_module(f"{__name__}.{module}")
    found = [known for number, known in _exercises.items() if number.startswith(f"{lesson}.")]
    return sorted(found, key=lambda known: [int(part) for part in known.id.split(".")])
