"""Three hints for each exercise, then the solution."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from .catalogue import Exercise, find_lesson
from .learner_progress import note

_given: Counter[str] = Counter()


@dataclass(frozen=True)
class Note:
    """A short text for the learner."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": self.text, "text/markdown": self.text}


def hint(exercise: str, number: int | None = None) -> Note:
    """Show the next hint, or the one of that number.

    Parameters
    ----------
    exercise : str
        Number of the exercise, such as ``"06.2"``.
    number : int, optional
        1, 2 or 3. Left out: the next one that you have not seen.
    """
    known = _exercise(exercise)
    if known is None or not known.hints:
        return Note(f"There are no hints for {exercise}.")
    total = len(known.hints)
    if number is None:
        number = _given[exercise] + 1
        if number > total:
            return Note(
                f'You have seen all {total} hints; `hint("{exercise}", 1)` shows the first again. The solution: '
                f'`solution("{exercise}")`.'
            )
    if not 1 <= number <= total:
        return Note(f"{exercise} has hints 1 to {total}.")
    _given[exercise] = max(_given[exercise], number)
    note({"kind": "hint", "exercise": exercise, "number": number})
    return Note(f"**Hint {number} of {total}.** {known.hints[number - 1]}")


def solution(exercise: str, *, anyway: bool = False) -> Note:
    """Show one right solution, once all hints have been seen.

    Parameters
    ----------
    exercise : str
        Number of the exercise, such as ``"06.2"``.
    anyway : bool, optional
        Show it although there are hints left.
    """
    known = _exercise(exercise)
    if known is None or not known.solution:
        return Note(f"There is no solution for {exercise}.")
    left = len(known.hints) - _given[exercise]
    if left > 0 and not anyway:
        many = "one hint" if left == 1 else f"{left} hints"
        return Note(
            f'There {"is" if left == 1 else "are"} {many} left: `hint("{exercise}")`. '
            f'To see the solution anyway: `solution("{exercise}", anyway=True)`.'
        )
    note({"kind": "solution", "exercise": exercise})
    return Note(f"One right solution of {exercise}; others are just as good.\n\n```python\n{known.solution}\n```")


def solution_of(exercise: str) -> str:
    """Return the code of the solution; empty where there is none."""
    known = _exercise(exercise)
    return known.solution if known else ""


def title_of(exercise: str) -> str:
    """Return the title of an exercise, empty when it is not known."""
    known = _exercise(exercise)
    return known.title if known else ""


def hint_counts(exercise: str) -> tuple[int, int]:
    """Return how many hints an exercise has, and how many of them were given."""
    known = _exercise(exercise)
    total = len(known.hints) if known is not None and known.solution else 0
    return total, min(total, _given[exercise])


def advice(exercise: str) -> str:
    """Say what to do after a check that did not pass."""
    known = _exercise(exercise)
    if known is None or not known.hints:
        return ""
    number = _given[exercise] + 1
    if number > len(known.hints):
        return f'Next: the solution, `solution("{exercise}")`.'
    return f'Next: hint {number} of {len(known.hints)}, `hint("{exercise}")`.'


def _exercise(exercise: str) -> Exercise | None:
    lesson = find_lesson(exercise.partition(".")[0])
    return lesson.exercise(exercise) if lesson else None
