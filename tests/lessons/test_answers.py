"""The checks themselves are checked: right answers of any style pass, wrong ones fail, empty ones fail politely."""

from __future__ import annotations

import builtins
import linecache
import os
import zlib
from pathlib import Path
from typing import Any

import pytest
from gpucluster.lessons.building.reading import read_source
from gpucluster.lessons.catalogue import find_lesson, lessons
from gpucluster.lessons.checking import check
from gpucluster.lessons.checks import exercises
from gpucluster.lessons.results import State

from tests.suite.lessons import expensive_for

ANSWERS = Path(__file__).parent / "answers"
FILES = sorted(ANSWERS.glob("*/*.py"))
SEEDS = [int(seed) for seed in os.environ.get("ANSWER_SEEDS", "").split()]
"""Of hidden inputs: each answer on each of them (`make answers SEEDS="1 2 3"`). Left out: one of the answer's own, so
that two runs see the same inputs. An answer that is found on some inputs only is a check to be fixed."""
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


def each_answer() -> list[Any]:
    return [
        pytest.param(
            file,
            id=f"{file.parent.name}-{file.stem}",
            marks=expensive_for(file.parent.name.partition(".")[0]),
        )
        for file in FILES
    ]


@pytest.mark.parametrize("file", each_answer())
def test_right_answers_pass_and_wrong_answers_fail(file: Path, client: Any) -> None:
    exercise = named(file.parent.name)
    for seed in SEEDS or [zlib.crc32(f"{exercise.id}/{file.name}".encode())]:
        answers = load(file.read_text(encoding="utf-8"), str(file), exercise)
        judge(file, check(exercise.id, *answers, client=client, seed=seed))


def judge(file: Path, result: Any) -> None:
    if file.stem.startswith("right_"):
        assert result.state is State.PASSED, result
    else:
        assert result.state is State.FAILED, result
        assert any(not finding.passed for finding in result.findings)
        assert "hint(" in result.next_step
    assert "Traceback" not in repr(result)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_each_exercise_has_enough_answers(exercise: Any) -> None:
    stems = [file.stem for file in FILES if file.parent.name == exercise.id]
    enough = f"at least 2 right_*.py and 3 wrong_*.py, and nothing else, in answers/{exercise.id}"
    assert sum(stem.startswith("right_") for stem in stems) >= 2, enough
    assert sum(stem.startswith("wrong_") for stem in stems) >= 3, enough
    assert all(stem.startswith(("right_", "wrong_")) for stem in stems), enough


def test_every_exercise_of_a_sheet_can_be_checked() -> None:
    told = {exercise.id for lesson in lessons() for exercise in lesson.exercises}
    checked = {exercise.id for exercise in EXERCISES}
    assert sorted(told - checked) == [], "no check: is it in a module of lesson_NN_name, a package with an __init__.py?"
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
