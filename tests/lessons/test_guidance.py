"""Hints in three steps, then the solution; predictions."""

import json
from pathlib import Path

import numpy as np
import pytest
from gpucluster.lessons import check, compare, hint, predict, solution
from gpucluster.lessons.catalogue import lessons
from gpucluster.lessons.learner_progress import load
from gpucluster.lessons.results import LESSON_MIME


def test_hints_come_one_after_the_other_and_the_solution_waits_for_them() -> None:
    texts = [hint("06.2").text for _ in range(4)]
    assert [text[:16] for text in texts[:3]] == ["**Hint 1 of 3.**", "**Hint 2 of 3.**", "**Hint 3 of 3.**"]
    assert 'solution("06.2")' in texts[3]
    assert "def assign" in solution("06.2").text
    hint("06.3")
    assert solution("06.3").text.startswith("There are 2 hints left")
    assert "def partial" in solution("06.3", anyway=True).text
    hint("06.3")
    assert solution("06.3").text.startswith("There is one hint left")


def test_a_check_names_the_next_hint() -> None:
    assert "hint 1 of 3" in check("06.2", ...).next_step
    hint("06.2", 3)
    assert 'solution("06.2")' in check("06.2", ...).next_step


def test_hints_and_exercises_that_do_not_exist() -> None:
    texts = {number: hint("06.2", number).text for number in (0, 4, -1)}
    assert texts == dict.fromkeys(texts, "06.2 has hints 1 to 3.")
    for number in ("06.99", "nonsense", ""):
        assert hint(number).text == f"There are no hints for {number}."
        assert solution(number).text == f"There is no solution for {number}."


def test_no_hint_gives_the_whole_solution() -> None:
    for lesson in lessons():
        for exercise in lesson.exercises:
            lines = [line.strip() for line in exercise.solution.splitlines()]
            frame = ("def ", '"""', "#", "return", "try:", "except", "finally:", "else:", ")")
            body = [line for line in lines if line and not line.startswith(frame)]
            for text in exercise.hints:
                # Where the answer is a single line, the last hint may name its content.
                assert sum(line in text for line in body) <= max(len(body) / 2, 1), (exercise.id, text)


def test_prediction_and_observation(capsys: pytest.CaptureFixture[str]) -> None:
    predict("06.a", 100)
    result = compare("06.a", np.float64(150), "MB")
    assert repr(result) == "You predicted: 100 MB. Observed: 150 MB. The real value is 1.5 × your guess."
    record = result._repr_mimebundle_()[LESSON_MIME]
    assert record == {"kind": "prediction", "question": "06.a", "predicted": 100, "observed": 150.0, "unit": "MB"}
    assert capsys.readouterr().out == "Noted: 100.\n"


@pytest.mark.parametrize(
    ("unit", "one"),
    [("processes", "process"), ("copies", "copy"), ("tasks", "task"), ("times", "times"), ("ms", "ms"), ("MB", "MB"),
     ("rows per chunk", "rows per chunk"), ("no", "no"), ("", "")],
)  # fmt: skip
def test_one_is_in_the_singular(unit: str, one: str) -> None:
    predict("q", 1)
    assert repr(compare("q", 2, unit)).startswith(f"You predicted: 1 {one}".rstrip() + f". Observed: 2 {unit}".rstrip())


def test_no_prediction(capsys: pytest.CaptureFixture[str]) -> None:
    predict("06.a", 3)
    predict("06.a", ...)
    assert "No prediction yet" in capsys.readouterr().out
    assert repr(compare("06.a", 3)).startswith("Observed: 3. You made no prediction"), "the old guess is forgotten"


@pytest.mark.parametrize(
    ("guess", "observed", "verdict"),
    [(256, 256, "Exactly."), (10, 1, "Your guess is 10 × the real value."), (4, 1, "Your guess is 4 × the real value."),
     (101, 100, "Very close."), (0, 5, "Can you explain why?"),
     ("yes", "no", "Can you explain why?"), ("no", "no", "That is the same."), (-1, 2, "Can you explain why?")],
)  # fmt: skip
def test_verdicts(guess: object, observed: object, verdict: str) -> None:
    predict("q", guess)
    assert verdict in repr(compare("q", observed))


def test_a_prediction_of_the_wrong_kind_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    predict("q", [1])
    assert "Write a number or a word" in capsys.readouterr().out
    predict("q", "many")
    assert repr(compare("q", 3)).endswith("You predicted: many. Observed: 3. That is different. Can you explain why?")
    predict("q", 3)
    assert repr(compare("q", "many")).endswith("That is different. Can you explain why?")
    predict("q", ...)


def test_numbers_of_numpy_are_numbers(capsys: pytest.CaptureFixture[str], own_progress: Path) -> None:
    predict("06.a", np.int64(5))
    predict("06.b", np.float32(0.5))
    predict("06.c", np.bool_(True))
    assert capsys.readouterr().out == "Noted: 5.\nNoted: 0.5.\nNoted: True.\n"
    assert load().predictions["06.a"].predicted == 5
    predict("06.d", np.zeros(3))
    assert "Write a number or a word" in capsys.readouterr().out


@pytest.mark.parametrize(
    "huge", [2**20000, 10**400, -(10**400), 2**64], ids=["many digits", "no float", "negative", "no int64"]
)
def test_a_number_without_end_is_refused_and_shown_short(
    huge: int, capsys: pytest.CaptureFixture[str], own_progress: Path
) -> None:
    predict("06.a", huge)
    assert "closer to zero" in capsys.readouterr().out
    predict("06.a", 3)
    comparison = compare("06.a", huge)
    assert len(repr(comparison)) < 200
    assert "digits" in json.dumps(comparison._repr_mimebundle_())
    assert load().predictions["06.a"].predicted == 3
    assert "Not saved" not in capsys.readouterr().out


@pytest.mark.parametrize(("guess", "seen"), [(1e-300, 1e300), (1e300, 1e-300), (1, float("inf"))])
def test_a_number_that_is_nothing_beside_the_other(guess: float, seen: float) -> None:
    predict("06.a", guess)
    assert repr(compare("06.a", seen)).endswith("That is different. Can you explain why?")
