"""Wrong answers get no point in the place where they are judged, and a check without its cluster gives none."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gpucluster.lessons.grading.cage import Cage
from gpucluster.lessons.grading.model import ExerciseGrade, Limits, Place
from gpucluster.lessons.grading.running import INSIDE
from gpucluster.lessons.grading.session import Session
from gpucluster.lessons.grading.watch import Watch

pytestmark = pytest.mark.timeout(300)
ANSWERS = Path(__file__).parents[1] / "answers"
LIMITS = Limits(seconds=900, cell_seconds=60)
SLOW = {"07.5"}
"""An answer that never comes to an end is waited for."""


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """A kernel without a cluster."""
    root = Path(tempfile.mkdtemp(prefix="gg"))
    cage = Cage(root, secrets.token_hex(8))
    cage.prepare()
    watch = Watch(LIMITS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPUCLUSTER_DIR", str(root / "clusters"))
        kernel = Session(cage, LIMITS, watch)
        try:
            yield kernel
        finally:
            kernel.close()
            shutil.rmtree(root, ignore_errors=True)


def place_of(exercise: str) -> Place:
    return "inside" if exercise in INSIDE else "outside"


def judged(session: Session, file: Path, place: Place | None = None) -> ExerciseGrade:
    exercise = file.parent.name
    session.run(file.read_text(encoding="utf-8"))
    return session.judge(exercise, 1, place or place_of(exercise))


def test_no_cluster_gives_no_point(session: Session) -> None:
    places: tuple[Place, ...] = ("outside", "inside")
    for file in (ANSWERS / "08.4" / "wrong_two_orders.py", min((ANSWERS / "08.4").glob("right*.py"))):
        for place in places:
            grade = judged(session, file, place)
            assert (grade.state, grade.points) == ("failed", 0), (file.name, place)
            assert grade.message == "The notebook had no cluster to check it on."


def _with_wrong_answers() -> list[Any]:
    return sorted(folder.name for folder in ANSWERS.iterdir() if folder.name not in SLOW)


@pytest.mark.parametrize("exercise", _with_wrong_answers())
def test_wrong_answers_fail_where_they_are_judged(session: Session, exercise: str) -> None:
    right = min((ANSWERS / exercise).glob("right*.py"))
    if judged(session, right).state != "passed":
        pytest.skip("it needs a cluster, or is judged in the other place when it has one")
    for file in sorted((ANSWERS / exercise).glob("wrong*.py")):
        session.run(right.read_text(encoding="utf-8"))
        assert judged(session, file).state == "failed", file.name


def test_the_memory_of_the_learners_process_is_measured(session: Session) -> None:
    wrong = ANSWERS / "06.2" / "wrong_n_by_k_by_d.py"
    grade = judged(session, wrong, "outside")
    [memory] = [one for one in grade.findings if "Memory" in one.expected]
    assert not memory.passed
    right = judged(session, ANSWERS / "06.2" / "right_chunks.py", "outside")
    assert right.state == "passed", right.findings


PATCH = """
import gpucluster.lessons.instruments.memory as memory
measure_before = memory.measure_peak
memory.measure_peak = lambda function, *args, **options: (function(*args, **options), 1)
"""


def test_patching_what_measures_does_not_help(session: Session) -> None:
    session.run(PATCH)
    try:
        places: tuple[Place, ...] = ("outside", "inside")
        for place in places:
            assert judged(session, ANSWERS / "06.2" / "wrong_n_by_k_by_d.py", place).state == "failed"
            assert judged(session, ANSWERS / "06.2" / "right_chunks.py", place).state == "passed"
        # The notebook has its own modules again, patched or not.
        assert session.run("assert memory is __import__('sys').modules[memory.__name__]").error == ""
        assert session.run("assert memory.measure_peak is not measure_before").error == ""
    finally:
        session.run("memory.measure_peak = measure_before")
