"""A class of thirty hostile learners with honest ones among them, graded by an ordinary instructor.

As root, ``test_attacks`` and ``test_escapes`` try the same.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from gpucluster.lessons.grading import Grades, Limits
from gpucluster.lessons.grading.sandbox.trying import choose
from gpucluster.operating_system import landlock, seccomp

from tests.otheruser import OtherUser

from . import escapes, thirty
from .conftest import HandIn

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(580),
    pytest.mark.skipif(landlock.version() < 6 or not seccomp.can_filter(), reason="nothing holds a notebook back here"),
]
LIMITS = Limits(seconds=60, cell_seconds=8, memory_bytes=800 * 2**20, processes=40, threads=400)
JOBS = 2
HONEST = ("00-honest", "15-honest", "25-honest", "99-honest")
CHILD = """
import json, sys
from pathlib import Path
from gpucluster.lessons.grading import Limits, find_submissions, grade
from gpucluster.lessons.grading.sandbox.trying import choose
grades = grade(
    find_submissions(Path(sys.argv[1])), Limits.model_validate_json(sys.argv[2]), seed=7, jobs=2,
    sandboxing=choose().sandboxing,
)
print(grades.model_dump_json())
"""


@pytest.fixture
def given(small_lesson: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    monkeypatch.setenv("UNTOLD", "yes")
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    with escapes.laid_out(tmp_path) as laid:
        yield {
            **laid,
            "mine": str(tmp_path / "mine"),
            "other": str(tmp_path / "class" / HONEST[0] / "06-kmeans.ipynb"),
            "solutions": str(small_lesson / "06-kmeans" / "06-kmeans-solution.ipynb"),
            "marker": str(tmp_path / "marker"),
        }


def write_class(hand_in: HandIn, given: dict[str, str], *, fenced: bool) -> dict[str, dict[str, float]]:
    """Hand everything in; return who is to have which points."""
    expected = {}
    for learner, (first, answers, points) in thirty.hostile(given).items():
        hand_in(learner, first, answers)
        expected[learner] = points
    for learner, code in thirty.FENCED.items() if fenced else ():
        hand_in(learner, thirty.REFUSED + thirty.with_names(code, given))
        expected[learner] = thirty.ALL
    for learner in HONEST:
        hand_in(learner)
        expected[learner] = thirty.ALL
    return expected


def judge(grades: Grades, expected: dict[str, dict[str, float]], kind: str) -> None:
    assert [one.learner for one in grades.submissions] == sorted(expected)
    assert len(expected) - len(HONEST) >= 30
    for one in grades.submissions:
        got = {exercise.id: exercise.points for exercise in one.exercises}
        wanted = expected[one.learner]
        if one.learner == "21-forks" and one.status == "memory":
            wanted = thirty.SOME  # Whichever limit it reaches first; after too much memory it goes on.
        assert {name: got[name] for name in wanted} == wanted, (one.learner, one.status, one.notes)
        assert not any("GOT THROUGH" in note for note in one.notes), (one.learner, one.notes)
        assert one.protection is not None
        assert one.protection.kind == kind
        if one.learner in HONEST:
            assert (one.status, one.notes) == ("graded", []), one.learner


def test_nobody_gets_a_point_or_harms_another(
    hand_in: HandIn, given: dict[str, str], small_lesson: Path, tmp_path: Path
) -> None:
    instructor = OtherUser({"PATH": os.environ["PATH"], "UNTOLD": "yes"})
    try:
        lessons = instructor.home / "lessons"
        shutil.copytree(small_lesson, lessons)
        own = {**given, "mine": str(instructor.home / "mine"), "marker": str(instructor.home / "marker")}
        own["solutions"] = str(lessons / "06-kmeans" / "06-kmeans-solution.ipynb")
        own["other"] = str(instructor.home / "class" / HONEST[0] / "06-kmeans.ipynb")
        (instructor.home / "mine").write_text("mine", encoding="utf-8")
        expected = write_class(hand_in, own, fenced=choose().sandboxing.apart)
        shutil.copytree(tmp_path / "class", instructor.home / "class")
        subprocess.run(["chown", "-R", str(instructor.uid), str(instructor.home)], check=True)
        instructor.environment["GPUCLUSTER_NOTEBOOKS"] = str(lessons)
        said = instructor.run("-c", CHILD, str(instructor.home / "class"), LIMITS.model_dump_json(), patience=560)
        grades = Grades.model_validate(json.loads(said))
        judge(grades, expected, grades.submissions[0].protection.kind)  # type: ignore[union-attr]
        assert (instructor.home / "mine").read_text(encoding="utf-8") == "mine"
        assert instructor.processes() == []
        assert not (instructor.home / "marker").exists()
        os.kill(int(given["victim"]), 0)
    finally:
        instructor.close()
