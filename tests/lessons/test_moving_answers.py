"""The answers of lesson 12 with many hidden inputs, and what its checks take for granted."""

from __future__ import annotations

from typing import Any

import dask.dataframe as dd
import numpy as np
import pytest
from gpucluster.lessons.checking import check
from gpucluster.lessons.course.lesson_12_moving_bytes import checks, checks_sharing
from gpucluster.lessons.hints import solution_of
from gpucluster.lessons.probes.transfers import bytes_between_workers

from tests.lessons.answering import answers_to, seeds
from tests.lessons.test_answers import load, load_answer, named

IMPORTS = "import numpy as np\nimport pandas as pd\n"
WITHOUT_CLUSTER = ["12.1", "12.3", "12.4", "12.5", "12.6", "12.7", "12.9", "12.10"]


def solved(number: str) -> list[Any]:
    return load(IMPORTS + solution_of(number), f"<{number}>", named(number))


@pytest.mark.parametrize("seed", seeds(20))
@pytest.mark.parametrize("number", WITHOUT_CLUSTER)
def test_the_solution_passes_whatever_the_hidden_inputs(number: str, seed: int) -> None:
    result = check(number, *solved(number), seed=seed)
    assert result.passed, result


@pytest.mark.parametrize("number", WITHOUT_CLUSTER)
def test_wrong_answers_fail_whatever_the_hidden_inputs(number: str) -> None:
    for wrong in [one for one in answers_to(number) if not one.right]:
        for seed in range(3):
            assert not check(number, *load_answer(wrong), seed=seed).passed, wrong.id


def test_the_twelve_pairs_have_all_seven_words() -> None:
    words = [checks.true_path(one, other) for one, other in checks.TABLE]
    assert len(words) == 12
    assert set(words) == set(checks.WORDS)
    assert all(checks.true_path(other, one) == word for word, (one, other) in zip(words, checks.TABLE, strict=True))


def test_random_pairs_have_all_words_and_all_numbers_of_copies() -> None:
    rng = np.random.default_rng(0)
    pairs = [checks.random_pair(rng) for _ in range(2000)]
    assert {checks.true_path(*pair) for pair in pairs} == set(checks.WORDS)
    assert {checks.true_copies(*pair) for pair in pairs} == {0, 1, 2}


def test_the_best_fit_is_the_best() -> None:
    rng = np.random.default_rng(1)
    sizes, seconds = checks.random_link(rng, 0.1)
    alpha, per_byte = checks.best_fit(sizes, seconds)
    least = checks.misfit(sizes, seconds, alpha, per_byte)
    for factor in (0.97, 1.03):
        assert checks.misfit(sizes, seconds, alpha * factor, per_byte) > least
        assert checks.misfit(sizes, seconds, alpha, per_byte * factor) > least


def test_a_fit_without_weights_is_far_off() -> None:
    """What the lesson calls a failure without an error, for its own sizes and ten per cent of noise."""
    rng = np.random.default_rng(2)
    alpha, sizes = 1e-4, np.array([1, 1e3, 1e4, 1e5, 1e6, 4e6, 16e6])
    without, with_weights = [], []
    for _ in range(40):
        seconds = (alpha + sizes / 2e9) * np.exp(0.1 * rng.normal(size=len(sizes)))
        without.append(np.polyfit(sizes, seconds, 1)[1])
        with_weights.append(checks.best_fit(sizes, seconds)[0])
    off = [float(np.median(np.abs(np.array(found) / alpha - 1))) for found in (without, with_weights)]
    assert off[0] > 5 * off[1]
    assert max(without) > 2 * alpha
    assert min(without) < 0.5 * alpha


@pytest.mark.full
def test_a_shuffle_moves_as_many_bytes_as_its_formula_says(client: Any) -> None:
    rng = np.random.default_rng(3)
    tables = [checks_sharing.random_table(rng, 100_000, 2) for _ in range(2)]
    workers = len(client.ncores())
    left, right = (dd.from_pandas(one, npartitions=2 * workers).persist() for one in tables)
    moved = bytes_between_workers(client, left.merge(right, on="key", shuffle_method="p2p"))
    assert moved == pytest.approx(checks_sharing.true_bytes(*tables, workers), rel=0.15)


def test_a_clock_that_stands_still_is_no_time() -> None:
    def ping_pong(comm: Any, n_bytes: int, repeats: int, warm_up: int, clock: Any) -> float:
        message = np.zeros(n_bytes, dtype=np.uint8)
        for _ in range(repeats + warm_up):
            if comm.rank == 0:
                comm.Send(message, 1)
                comm.Recv(message, 1)
            else:
                comm.Recv(message, 0)
                comm.Send(message, 0)
        return 0.0

    result = check("12.2", ping_pong, seed=0)
    assert [finding.expected for finding in result.findings if not finding.passed] == [
        "Rank 0 returns the seconds of one way, on average over the repeats"
    ]
