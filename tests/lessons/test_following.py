"""Exercises that build on earlier ones are graded alone, and the notebook's own names are restored afterwards."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gpucluster.lessons.building.source import read_source
from gpucluster.lessons.catalogue import find_lesson
from gpucluster.lessons.checking import check, ready
from gpucluster.lessons.following import Names, sources_of, statements_of
from gpucluster.lessons.probes.transfers import Traffic
from gpucluster.lessons.results import State

STEP = """
import numpy as np
from gpucluster.lessons import as_numpy
def step(block, centroids):
    centroids = np.asarray(centroids, like=block)
    labels = assign(block, centroids)
    return as_numpy(partial(block, labels, centroids))
"""
EMPTY = "def assign(points, centroids):\n    ...\n"
WRONG = "def assign(points, centroids):\n    return np.zeros(len(points), dtype=int)\n"


def solution(number: str) -> str:
    return find_lesson(number[:2]).exercise(number).solution


def notebook(*cells: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells:
        exec(compile(cell, "<cell>", "exec"), names)
    return names


@pytest.mark.parametrize("earlier", [EMPTY, WRONG])
@pytest.mark.full
def test_a_right_loop_passes_although_an_earlier_answer_does_not(earlier: str, client: Any) -> None:
    names = notebook(STEP, earlier, solution("06.3"), solution("06.5"))
    before = dict(names)
    result = check("06.5", names["kmeans"], client=client)
    assert result.state is State.PASSED, result
    assert result.message == "06.2 is empty or not correct yet: checked with the lesson's answer instead."
    assert names == before


def test_a_wrong_loop_fails_whatever_stands_in(client: Any) -> None:
    loop = solution("06.5").replace("sums[used] / counts[used, None]", "sums[used]")
    names = notebook(STEP, EMPTY, solution("06.3"), loop)
    result = check("06.5", names["kmeans"], client=client)
    assert result.state is State.FAILED
    assert "06.2 is empty" in result.message
    assert "NoneType" not in repr(result)  # what is said is about the loop
    names = notebook(STEP, solution("06.2"), solution("06.3"), loop)
    assert check("06.5", names["kmeans"], client=client).message == ""


def test_values_that_were_made_with_an_earlier_answer_are_made_again() -> None:
    cells = [
        "import numpy as np\nmade = []",
        "def principal_components(C, k):\n    ...",
        "def largest(C):\n    return principal_components(C, 1)",
        "C, other = np.diag([1.0, 4.0]), made.append(1)",
        "found = largest(C)\nquality = {}\nfor k in (1, 2):\n    quality[k] = 0",
        "quality = {}\nfor k in (1, 2):\n    quality[k] = found and len(principal_components(C, k)[0])",
    ]
    values = notebook(*cells)
    kept = values["quality"]
    names = Names(values, cells)
    assert names.earlier("07.5", {}) == ["07.2"]
    with names.lent("07.5", {"07.2": solution("07.2")}):
        assert values["quality"] == {1: 1, 2: 2}
        assert values["made"] == [1]  # what does not depend on it is not run again
    assert values["quality"] is kept
    assert kept == {1: None, 2: None}
    assert values["principal_components"](1, 1) is None


def test_an_earlier_exercise_that_only_the_solution_uses_counts_too() -> None:
    values = notebook("def fit_stream(client, X):\n    ...", "quality = {4: fit_stream(1, 2)}")
    names = Names(values, ["quality = {4: fit_stream(1, 2)}"])
    assert names.earlier("07.5", {}) == ["07.4"]
    assert names.earlier("07.5", {"07.4": solution("07.4")}) == ["07.3", "07.4"]


def test_where_a_value_comes_from() -> None:
    found = statements_of(["a = 1\nb = [mean for mean in a]", "no python !", "if b:\n    a = b\na += 1", "c.d[0] = a"])
    assert [sorted(one.gives) for one in found] == [["a"], ["b"], ["a"], ["a"], []]
    assert sources_of("a", found) == [3, 2]
    assert sources_of("c", found) == [4]
    assert "mean" not in found[1].takes


@pytest.mark.parametrize("said_there", ["kmeans (exercise 06.5) needs", "kmeans_on_ranks (06.6)"])
def test_the_cell_after_a_right_loop_says_which_earlier_exercise_is_empty(
    said_there: str, client: Any, capsys: Any
) -> None:
    cells = read_source(find_lesson("06").folder / "lesson.py").cells
    [cell] = [one.text for one in cells if "Nothing to report yet" in one.text and said_there in one.text]
    lab = SimpleNamespace(client=client, traffic=lambda: Traffic(client))
    names = notebook(STEP, EMPTY, solution("06.3"), solution("06.5"), solution("06.6"), "import time")
    given = {"lab": lab, "ready": ready, "start_colours": lambda k: np.zeros((k, 3)), "pixels": None, "parts": []}
    exec(cell, names | given)
    said = capsys.readouterr().out
    assert "finish exercise 06.2, run the cells after it" in said
    assert "Nothing to report yet" in said
