"""An empty answer does not cost the points of the exercises that build on it, and shows no solution too early."""

import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gpucluster.lessons.catalogue import find_lesson
from gpucluster.lessons.grading.grades import ExerciseGrade, NotebookGrade
from gpucluster.lessons.grading.job import Job, Limits
from gpucluster.lessons.grading.runner.notebook_run import NotebookRun
from gpucluster.lessons.grading.runner.steps import Step
from gpucluster.lessons.grading.sandbox.folder import Sandbox
from gpucluster.lessons.grading.sandbox.keeper import Keeper
from gpucluster.lessons.grading.sandbox.monitor import ResourceMonitor

pytestmark = pytest.mark.timeout(300)
LIMITS = Limits(seconds=200, cell_seconds=60)
IMPORTS = """
import numpy as np
from gpucluster.lessons.material.pictures import load_photo
from gpucluster.lessons.material.pictures import cut_tiles
tiles = cut_tiles(load_photo(), 16)
mean = tiles.mean(axis=0)
"""
MADE_WITH_IT = """
found = principal_components(np.cov(tiles.T), 64)
components = found and found[0]
"""
EMPTY = Step("def principal_components(C, k):\n    ...", ("07.2",), "07.2")


@pytest.fixture
def graded(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., dict[str, ExerciseGrade]]]:
    """Run steps in a separate sandboxed kernel."""
    roots: list[Path] = []

    def run(*steps: Step) -> dict[str, ExerciseGrade]:
        roots.append(Path(tempfile.mkdtemp(prefix="gf")))
        sandbox = Sandbox(roots[-1], secrets.token_hex(8))
        sandbox.prepare()
        monkeypatch.setenv("GPUCLUSTER_DIR", str(roots[-1] / "clusters"))
        result = NotebookGrade(learner="ana", lesson="07", file="")
        job = Job(notebook=b"", learner="ana", lesson="07", seed=1, limits=LIMITS, places={})
        NotebookRun(job, sandbox, list(steps), ResourceMonitor(LIMITS, Keeper(sandbox)), result).run()
        return {one.id: one for one in result.exercises}

    yield run
    for root in roots:
        shutil.rmtree(root, ignore_errors=True)


def right(exercise: str) -> Step:
    lesson = find_lesson("07").exercise(exercise)
    return Step(lesson.solution, (exercise,), exercise)


def test_a_right_answer_after_an_empty_one_gets_its_point(graded: Callable[..., dict[str, ExerciseGrade]]) -> None:
    found = graded(Step(IMPORTS), EMPTY, Step(MADE_WITH_IT), right("07.5"))
    assert (found["07.2"].state, found["07.2"].points) == ("not_yet", 0)
    assert (found["07.5"].state, found["07.5"].points) == ("passed", 1), found["07.5"].findings
    assert found["07.5"].message == "07.2 is empty or not correct yet: checked with the lesson's answer instead."


@pytest.mark.full
def test_an_answer_below_its_check_is_named(graded: Callable[..., dict[str, ExerciseGrade]]) -> None:
    below = Step(right("07.2").code)
    found = graded(Step(IMPORTS), Step("nothing = 1", ("07.2",), "07.2"), below)["07.2"]
    told = "'principal_components' is in cell 3, below this check. An answer is graded at the position of its check."
    assert (found.state, found.message) == ("not_yet", told)


@pytest.mark.full
def test_no_solution_is_lent_before_its_exercise_is_graded(graded: Callable[..., dict[str, ExerciseGrade]]) -> None:
    # Who moves its cells could else look at the solution of what is still to be graded.
    found = graded(Step(IMPORTS), Step(EMPTY.code), Step(MADE_WITH_IT), right("07.5"), EMPTY)
    assert [(one.id, one.state, one.points) for one in found.values()] == [
        ("07.5", "failed", 0),
        ("07.2", "not_yet", 0),
    ]
