"""The checks: those of a lesson are the modules ``checks*`` of its folder, such as ``course/lesson_06_kmeans``."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, wraps
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from . import course


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


def exercise(number: str, *answers: str, repeats: bool = True) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register the function below as the check of an exercise.

    Parameters
    ----------
    repeats : bool, optional
        Whether the learner's functions give the same when they are called twice with the same data. Not where a call
        has an effect, such as a file.
    """

    def register(examine: Callable[..., None]) -> Callable[..., None]:
        @wraps(examine)
        def examined(exam: Any, *given: Any) -> None:
            exam.repeats = repeats
            examine(exam, *given)

        _exercises[number] = CheckedExercise(number, answers, examined)
        return examine

    return register


def find_exercise(number: Any) -> CheckedExercise | None:
    """Return the exercise of that number, such as ``"06.2"``."""
    if not isinstance(number, str):
        return None
    _load(number.partition(".")[0])
    return _exercises.get(number)


def exercises(lesson: str) -> list[CheckedExercise]:
    """Return all exercises of a lesson that can be checked, in order."""
    _load(lesson)
    found = [known for number, known in _exercises.items() if number.startswith(f"{lesson}.")]
    return sorted(found, key=lambda known: [int(part) for part in known.id.split(".")])


@cache
def _load(lesson: str) -> None:
    """Import the modules of one lesson that register its checks; of the other lessons, nothing."""
    for package in iter_modules(course.__path__):
        if package.name.startswith(f"lesson_{lesson}_"):
            found = import_module(f"{course.__name__}.{package.name}")
            for module in iter_modules(found.__path__):
                if module.name.startswith("checks"):
                    import_module(f"{found.__name__}.{module.name}")
