"""The answers of lesson 06, with many hidden inputs, and all the ways to leave one empty."""

from typing import Any

import numpy as np
import pytest
from gpucluster.lessons.building.source import read_source
from gpucluster.lessons.catalogue import find_lesson
from gpucluster.lessons.checking import check
from gpucluster.lessons.results import State
from sklearn.metrics import pairwise_distances_argmin

from tests.lessons.answering import answer, seeds
from tests.lessons.test_answers import load, load_answer, named

LESSON = find_lesson("06")


@pytest.mark.parametrize("offset", [0, 100, 10_000])
def test_the_solution_labels_float32_far_from_zero_as_scikit_learn_does(offset: float) -> None:
    [assign] = load("import numpy as np\n" + LESSON.exercise("06.2").solution, "<06.2>", named("06.2"))
    rng = np.random.default_rng(0)
    centroids = (rng.random((8, 3)) + offset).astype(np.float32)
    points = (rng.random((5_000, 3)) + offset).astype(np.float32)
    expected = pairwise_distances_argmin(points, centroids)
    assert np.mean(assign(points, centroids) == expected) > 0.999  # but for points halfway between two
    products = ((centroids**2).sum(axis=1) - 2 * (points @ centroids.T)).argmin(axis=1)
    assert (np.mean(products != expected) > 0.8) == (offset == 10_000)  # what the lesson says of the plain formula


@pytest.mark.parametrize("seed", seeds(8))
@pytest.mark.full
def test_the_loop_passes_whatever_the_hidden_inputs(seed: int, client: Any) -> None:
    source = read_source(LESSON.folder / "lesson.py")
    step = next(cell.text for cell in source.cells if cell.text.startswith("def step"))
    parts = [LESSON.exercise(number).solution for number in ("06.2", "06.3", "06.5")]
    text = "import numpy as np\nfrom gpucluster.lessons import as_numpy\n" + "\n".join([step, *parts])
    answers = load(text, "<06.5>", named("06.5"))
    result = check("06.5", *answers, client=client, seed=seed)
    assert result.passed, result


@pytest.mark.parametrize("seed", seeds(8))
@pytest.mark.full
def test_the_comparison_passes_whatever_the_hidden_inputs(seed: int, client: Any) -> None:
    result = check("06.9", *load_answer(answer("06.9", "right by_hand")), client=client, seed=seed)
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
    assert (seen[0] == seen[2]).all()  # each check calls a function twice with the first inputs
    assert not (seen[0] == seen[4]).all()
    assert other.seed != first.seed


def _not_implemented(*args: Any) -> Any:
    raise NotImplementedError


def _documented(*args: Any) -> Any:
    """Only a docstring."""


@pytest.mark.parametrize("empty", [None, ..., _not_implemented, _documented, lambda *args: ..., lambda *args: None])
def test_all_ways_to_leave_it_empty(empty: Any) -> None:
    assert check("06.2", empty).state is State.NOT_YET


def test_a_constant_is_an_answer_although_a_wrong_one() -> None:
    assert check("06.2", lambda points, centroids: 0).state is State.FAILED
