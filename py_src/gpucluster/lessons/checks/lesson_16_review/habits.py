"""Lesson 16, no cluster needed: whether a habit of the authors tells which option is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...examination import Examination
from .. import exercise
from ..answers import number

Asked = dict[str, Any]


def gain_of(questions: list[Asked], score: Callable[[str], float]) -> float:
    """Return how much more often than by chance the option with the highest score is right."""
    total = 0.0
    for question in questions:
        scores = [score(option) for option in question["options"]]
        best = [place for place, one in enumerate(scores) if one == max(scores)]
        total += (question["right"] in best) / len(best) - 1 / len(scores)
    return total / len(questions)


def random_questions(rng: np.random.Generator, size: int, options: int | None = None) -> list[Asked]:
    """Return questions whose options are words of random letters, some of the same length."""
    made = []
    for _ in range(size):
        number_of = options or int(rng.integers(2, 7))
        words = ["".join(rng.choice(list("abcdef"), int(rng.integers(1, 6)))) for _ in range(number_of)]
        made.append({"options": words, "right": int(rng.integers(number_of))})
    return made


def _count_a(text: str) -> int:
    return text.count("a")


def _negative_length(text: str) -> int:
    return -len(text)


@exercise("16.3", "habit_gain")
def check_habits(exam: Examination, habit_gain: Any) -> None:
    """A habit that always tells, one that tells nothing, and random questions with ties."""

    def given(questions: list[Asked], score: Callable[[str], float]) -> float:
        return number(exam, exam.call(habit_gain, questions, score), "What it returns")

    told = random_questions(exam.rng, 12, 4)
    for question in told:
        question["options"][question["right"]] = "a much longer option"
    found = given(told, len)
    exam.expect("A habit that always tells gains all that chance leaves", abs(found - 0.75) < 1e-9,
                f"{found:.3f} instead of 0.750, with four options")  # fmt: skip
    never = given(told, _negative_length)
    exam.expect("A habit that always misleads is below 0", abs(never + 0.25) < 1e-9, f"{never:.3f} instead of -0.250")
    same = given([{"options": ["ab", "cd", "ef"], "right": place} for place in (0, 0, 1)], len)
    exam.expect("Where all options score the same, nothing is gained", abs(same) < 1e-9, f"{same:.3f}")
    for score, name in ((len, "length"), (_count_a, "number of a"), (_negative_length, "shortness")):
        for _ in range(8):
            questions = random_questions(exam.rng, int(exam.rng.integers(1, 15)))
            true, found = gain_of(questions, score), given(questions, score)
            exam.expect("It is right for random questions, with two to six options and ties", abs(found - true) < 1e-9,
                        f"{found:.4f} instead of {true:.4f}, by {name}, {len(questions)} questions")  # fmt: skip
