"""The checks themselves are checked: right answers of any style pass, wrong ones fail, empty ones fail politely."""

import builtins
import linecache
import os
import zlib
from typing import Any

import pytest
from gpucluster.lessons.building.source import read_source
from gpucluster.lessons.catalogue import COURSE, find_lesson, lessons
from gpucluster.lessons.checking import check
from gpucluster.lessons.checks import exercises
from gpucluster.lessons.course.lesson_09_mpi_and_dask import checks as mpi_checks
from gpucluster.lessons.hints import solution_of
from gpucluster.lessons.results import State

from tests.lessons.answering import Answer, all_answers, answer, answers_to, seeds

SEEDS = [int(seed) for seed in os.environ.get("ANSWER_SEEDS", "").split()]
"""Of hidden inputs: each answer on each of them (`make answers SEEDS="1 2 3"`). Left out: one of the answer's own, so
that two runs see the same inputs. An answer that is found on some inputs only is a check to be fixed."""
SLOW = {"00.4", "03.3", "04.2", "04.4", "05.12", "06.5", "06.8", "06.10", "07.4", "12.8"}
"""Exercises of which each answer takes seconds."""
USUAL = {
    one
    for exercise in {one.exercise for one in all_answers()}
    for right, most in ((True, 1), (False, 1 if exercise in SLOW else 2))
    for one in [one for one in answers_to(exercise) if one.right == right][:most]
}
"""The first answers to each exercise: the others are not part of `make test`."""
HIDDEN = {
    f"{lesson}.{number}": (solutions, wrong)
    for lesson, numbers, solutions, wrong in (
        ("06", (2, 3), 25, False),
        ("07", (1, 2, 3), 10, False),
        ("09", (2, 3, 5, 7, 8, 9, 10, 11), 6, False),
        ("10", (1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13), 5, True),
        ("10", (5, 14), 5, False),
        ("12", (1, 3, 4, 5, 6, 7, 9, 10), 20, True),
        ("13", (1, 2, 3, 4, 5, 7, 8), 10, True),
        ("16", (1, 2, 3, 4, 5, 6, 9), 10, True),
    )
    for number in numbers
}
"""Exercises without a cluster: with how many hidden inputs the solution is checked, and whether wrong answers are."""
EXERCISES = [exercise for lesson in lessons() for exercise in exercises(lesson.id)]


def load(text: str, name: str, exercise: Any) -> list[Any]:
    """Run an answer as a notebook would, in __main__, so that its functions travel to the workers by value."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, name, "exec"), namespace)
    return [namespace[answer] for answer in exercise.answers]


def named(number: str) -> Any:
    return next(exercise for exercise in EXERCISES if exercise.id == number)


class Forgiving(dict[str, Any]):
    """The notebook around an empty cell: every name that earlier cells would have made is there, and is None."""

    def __missing__(self, name: str) -> None:
        if hasattr(builtins, name):
            raise KeyError(name)
        return


def load_answer(answer: Answer) -> list[Any]:
    return load(answer.text, answer.file_name, named(answer.exercise))


IMPORTS = "import asyncio\nfrom collections import Counter\nimport numpy as np\nimport pandas as pd\n"


def solved(number: str) -> list[Any]:
    """Run the lesson's own answer to an exercise, below what the notebook has above it."""
    above = [solution_of("10.1")] if number == "10.6" else []
    if number in ("10.9", "10.11"):
        # The notebook gives forward, backward and score_error; a right answer has them as well.
        text = answer("10.9", "right reverse_order").text
        above = [text[: text.index("def two_stages")], *([solution_of("10.9")] if number == "10.11" else [])]
    return load("\n\n".join([IMPORTS, *above, solution_of(number)]), f"<{number}>", named(number))


@pytest.mark.parametrize(
    "answer", [pytest.param(one, id=one.id, marks=() if one in USUAL else pytest.mark.full) for one in all_answers()]
)
def test_right_answers_pass_and_wrong_answers_fail(answer: Answer, client: Any) -> None:
    for seed in SEEDS or [zlib.crc32(answer.id.encode())]:
        judge(answer, check(answer.exercise, *load_answer(answer), client=client, seed=seed))


def judge(answer: Answer, result: Any) -> None:
    if answer.right:
        assert result.state is State.PASSED, result
    else:
        assert result.state is State.FAILED, result
        failed = {finding.failure for finding in result.findings if not finding.passed}
        assert failed & {*answer.fails}, result
        assert "hint(" in result.next_step
    assert "Traceback" not in repr(result)


@pytest.mark.parametrize(
    ("number", "seed"),
    [
        pytest.param(number, seed, marks=[pytest.mark.full] * bool(seed) + [pytest.mark.processes] * (number == "10.6"))
        for number, (solutions, _) in HIDDEN.items()
        for seed in range(solutions)
    ],
)
def test_the_solution_passes_whatever_the_hidden_inputs(number: str, seed: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(mpi_checks, "mpiexec", lambda: None)
    result = check(number, *solved(number), seed=seed)
    assert result.passed, result


@pytest.mark.parametrize("seed", seeds(4))
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(number, marks=[pytest.mark.full, pytest.mark.processes] if number.startswith("10.") else ())
        for number, (_, wrong) in HIDDEN.items()
        if wrong
    ],
)
def test_wrong_answers_fail_whatever_the_hidden_inputs(number: str, seed: int) -> None:
    for wrong in [one for one in answers_to(number) if not one.right]:
        assert not check(number, *load_answer(wrong), seed=seed).passed, wrong.id


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_each_exercise_has_enough_answers(exercise: Any) -> None:
    rights = [answer.right for answer in answers_to(exercise.id)]
    assert rights.count(True) >= 2, f"at least 2 right answers in answers/{exercise.id}.py"
    assert rights.count(False) >= 3, f"at least 3 wrong answers in answers/{exercise.id}.py"


def test_each_file_of_answers_belongs_to_an_exercise() -> None:
    assert {file.stem for file in COURSE.glob("*/answers/*")} == {exercise.id for exercise in EXERCISES}


def test_every_exercise_of_a_sheet_can_be_checked() -> None:
    told = {exercise.id for lesson in lessons() for exercise in lesson.exercises}
    checked = {exercise.id for exercise in EXERCISES}
    assert sorted(told - checked) == [], "no check: is it in checks*.py of the lesson's folder, with an __init__.py?"
    assert sorted(checked - told) == [], "a check without an exercise in lesson.py; was lessons.build run?"


def blank(number: str) -> list[Any]:
    """The answer cell of the learner's notebook, as it comes."""
    exercise = named(number)
    source = read_source(find_lesson(number.partition(".")[0]).folder / "lesson.py")
    texts = [cell.learner_text() for cell in source.cells if cell.exercise == number and "exercise" in cell.tags]
    code = compile("\n".join(texts), f"<blank {number}>", "exec")
    namespace = Forgiving()
    exec(code, {"__name__": "__main__"}, namespace)
    return [namespace[answer] for answer in exercise.answers]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_an_empty_cell_fails_politely(exercise: Any) -> None:
    result = check(exercise.id, *blank(exercise.id))
    assert result.state is State.NOT_YET
    assert "still empty" in result.message
    assert result.next_step == f'Next: hint 1 of 3, `hint("{exercise.id}")`.'
    assert result.findings == ()
    assert "not yet" in repr(result)
