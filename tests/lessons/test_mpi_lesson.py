"""Lesson 09: its solutions on a cluster, without MPI; its pictures say what they show."""

from typing import Any

import pytest
from gpucluster.lessons.checking import check
from gpucluster.lessons.course.lesson_09_mpi_and_dask import checks
from gpucluster.lessons.course.lesson_09_mpi_and_dask.probes import run_coroutine
from gpucluster.lessons.figures import mpi as figures
from gpucluster.lessons.results import State
from gpucluster.lessons.simulations.ranks.local_world import SentMessage

from tests.lessons.answering import seeds
from tests.lessons.drawings import sound
from tests.lessons.test_answers import solved


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("number", ["09.1", "09.4", "09.6"])
@pytest.mark.full
def test_the_solution_passes_on_the_cluster(number: str, seed: int, client: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(checks, "mpiexec", lambda: None)
    result = check(number, *solved(number), client=client, seed=seed)
    assert result.passed, result


async def _nothing(comm: Any, array: Any, other: int) -> None: ...


def test_a_coroutine_that_is_still_empty_is_not_wrong() -> None:
    assert check("09.9", _nothing, _nothing).state is State.NOT_YET


def test_a_coroutine_runs_to_its_end_and_its_error_is_ours() -> None:
    async def seven() -> int:
        return 7

    async def fails() -> None:
        raise ValueError("oops")

    assert run_coroutine(seven()) == 7
    with pytest.raises(ValueError, match="oops"):
        run_coroutine(fails())


def _sent(*pairs: tuple[int, int]) -> list[SentMessage]:
    return [SentMessage(source, target, "pickle", 8, 0) for source, target in pairs]


def test_messages_are_placed_in_rounds() -> None:
    assert figures.rounds_of(_sent((1, 0), (2, 0), (3, 0))) == [1, 2, 3]
    assert figures.rounds_of(_sent((1, 0), (3, 2), (2, 0))) == [1, 1, 2]


def test_pictures_are_svg_with_words(shown: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    figures.two_worlds()
    figures.rounds({"master": _sent((1, 0), (2, 0)), "tree <b>": _sent((1, 0))}, 3)
    figures.repeats({"MPI": [0.5, 0.7], "Dask": [1.0]})
    figures.rounds({}, 3)
    assert "Nothing to draw yet" in capsys.readouterr().out
    assert len(shown) == 3
    for picture in shown:
        assert sound(picture.svg()).get("aria-label") == repr(picture)
        assert "#000" not in picture.svg() and "white" not in picture.svg()  # the page's own colours, light or dark
    assert "round 2 rank 2 to 0" in repr(shown[1])
    assert "0.50, 0.70" in repr(shown[2])
