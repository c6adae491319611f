"""The answers of lesson 07 with many hidden inputs, and the facts of the photos that its checks know."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gpucluster.lessons.catalogue import find_lesson
from gpucluster.lessons.checking import check
from gpucluster.lessons.course.lesson_07_pca import checks

from tests.lessons.answering import answers_to, seeds
from tests.lessons.test_answers import load, load_answer, named


@pytest.mark.parametrize("seed", seeds(10))
@pytest.mark.parametrize("number", ["07.1", "07.2", "07.3"])
def test_the_solution_passes_whatever_the_hidden_inputs(number: str, seed: int) -> None:
    text = "import numpy as np\n" + find_lesson("07").exercise(number).solution
    result = check(number, *load(text, f"<{number}>", named(number)), seed=seed)
    assert result.passed, result


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("number", ["07.4", "07.6"])
def test_answers_on_the_cluster_pass_whatever_the_hidden_inputs(number: str, seed: int, client: Any) -> None:
    right = next(one for one in answers_to(number) if one.right)
    result = check(number, *load_answer(right), client=client, seed=seed)
    assert result.passed, result


@pytest.mark.full
def test_what_the_checks_know_about_the_photos_is_so() -> None:
    from gpucluster.datasets import patches

    X = patches(16)
    assert X.shape[0] == checks.PATCHES
    # One row in forty: enough for three digits.
    sample = np.concatenate([X.blocks[i].compute(scheduler="synchronous")[::40] for i in range(X.numblocks[0])])
    sample = sample.astype(float)
    values = np.linalg.eigvalsh(np.cov(sample.T))[::-1]
    assert values[0] / values.sum() == pytest.approx(checks.FIRST_RATIO, abs=0.003)
    first = np.linalg.eigh(sample.T @ sample)[1][:, -1]
    mean = sample.mean(axis=0)
    assert abs(first @ mean) / np.linalg.norm(mean) == pytest.approx(checks.COSINE, abs=0.0005)
