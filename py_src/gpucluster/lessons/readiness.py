"""``ready("05.1", audit)``: may the cells after an exercise go on?"""

from __future__ import annotations

from typing import Any

from .examination import is_blank


def ready(exercise: str, *answers: Any) -> bool:
    """Whether the answers of an exercise are there; says in one line which exercise to finish first.

    Parameters
    ----------
    exercise : str
        Its number, such as ``"05.1"``.
    *answers
        The learner's functions or results; a function of which only ``...`` is left is not there.
    """
    if all(not is_blank(answer) for answer in answers):
        return True
    print(f"Nothing to run yet: finish exercise {exercise} first, then run this cell again.")
    return False
