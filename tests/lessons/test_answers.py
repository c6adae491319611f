"""The checks themselves are checked: right answers of any style pass, wrong ones fail, empty ones fail politely."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import Any

import pytest
from gpucluster.lessons.catalogue import find_lesson
from gpucluster.lessons.checking import check
from gpucluster.lessons.checks import exercises
from gpucluster.lessons.results import State
from gpucluster.lessons.source import read_source

ANSWERS = Path(__file__).parent / "answers"
FILES = sorted(ANSWERS.glob("*/*.py"))
LESSON = find_lesson("06")
EXERCISES = exercises("06")


def load(text: str, name: str, exercise: Any) -> list[Any]:
    """Run an answer as a notebook would, in __main__, so that its functions travel to the workers by value."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, name, "exec"), namespace)
    return [namespace[answer] for answer in exercise.answers]


def named(number: str) -> Any:
    return next(exercise for exercise in EXERCISES if exercise.id == number)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_right_answers_pass_and_wrong_answers_fail(file: Path, client: Any) -> None:
    exercise = named(file.parent.name)
    answers = load(file.read_text(encoding="utf-8"), str(file), exercise)
    result = check(exercise.id, *answers, client=client)
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
    assert sum(stem.startswith("right_") for stem in stems) >= 2
    assert sum(stem.startswith("wrong_") for stem in stems) >= 3
    assert all(stem.startswith(("right_", "wrong_")) for stem in stems)


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("number", ["06.2", "06.3"])
def test_the_solution_passes_whatever_the_hidden_inputs(number: str, seed: int) -> None:
    answers = load("import numpy as np\n" + LESSON.exercise(number).solution, f"<{number}>", named(number))
    assert check(number, *answers, seed=seed).passed


@pytest.mark.parametrize("seed", range(8))
def test_the_loop_passes_whatever_the_hidden_inputs(seed: int, client: Any) -> None:
    source = read_source(LESSON.folder / "lesson.py")
    step = next(cell.text for cell in source.cells if cell.text.startswith("def step"))
    parts = [LESSON.exercise(number).solution for number in ("06.2", "06.3", "06.5")]
    text = "import numpy as np\nfrom gpucluster.lessons import as_numpy\n" + "\n".join([step, *parts])
    answers = load(text, "<06.5>", named("06.5"))
    result = check("06.5", *answers, client=client, seed=seed)
    assert result.passed, result


@pytest.mark.parametrize("seed", range(8))
def test_the_comparison_passes_whatever_the_hidden_inputs(seed: int, client: Any) -> None:
    file = ANSWERS / "06.9" / "right_by_hand.py"
    answers = load(file.read_text(encoding="utf-8"), str(file), named("06.9"))
    result = check("06.9", *answers, client=client, seed=seed)
    assert result.passed, result


def test_the_same_seed_gives_the_same_inputs() -> None:
    seen: list[Any] = []

    def assign(points: Any, centroids: Any) -> Any:
        seen.append(points.copy())
        return centroids

    first = check("06.2", assign)
    again = check("06.2", assign, seed=first.seed)
    other = check("06.2", assign)
    assert first.findings == again.findings
    assert (seen[0] == seen[1]).all()
    assert not (seen[0] == seen[2]).all()
    assert other.seed != first.seed


def blank(number: str) -> list[Any]:
    """The answer cell of the learner's notebook, as it comes."""
    source = read_source(LESSON.folder / "lesson.py")
    texts = [cell.learner_text() for cell in source.cells if cell.exercise == number and "exercise" in cell.tags]
    return load("\n".join(["step = None", *texts]), f"<blank {number}>", named(number))


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_an_empty_cell_fails_politely(exercise: Any) -> None:
    result = check(exercise.id, *blank(exercise.id))
    assert result.state is State.NOT_YET
    assert "still empty" in result.message
    assert result.next_step == f'Next: hint 1 of 3, `hint("{exercise.id}")`.'
    assert result.findings == ()
    assert "not yet" in repr(result)


def _not_implemented(*args: Any) -> Any:
    raise NotImplementedError


def _documented(*args: Any) -> Any:
    """Only a docstring."""


@pytest.mark.parametrize("empty", [None, ..., _not_implemented, _documented, lambda *args: ..., lambda *args: None])
def test_all_ways_to_leave_it_empty(empty: Any) -> None:
    assert check("06.2", empty).state is State.NOT_YET


def test_a_constant_is_an_answer_although_a_wrong_one() -> None:
    assert check("06.2", lambda points, centroids: 0).state is State.FAILED
