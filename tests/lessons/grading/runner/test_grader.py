"""Wrong answers get no point in the place where they are judged, and a check without its cluster gives none."""

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gpucluster.lessons.catalogue import COURSE
from gpucluster.lessons.grading.answer_key import INSIDE
from gpucluster.lessons.grading.grades import ExerciseGrade
from gpucluster.lessons.grading.job import Limits, Place
from gpucluster.lessons.grading.runner.kernel_session import KernelSession
from gpucluster.lessons.grading.sandbox.folder import Sandbox
from gpucluster.lessons.grading.sandbox.keeper import Keeper
from gpucluster.lessons.grading.sandbox.monitor import ResourceMonitor

from tests.lessons.answering import Answer, answer, answers_to

pytestmark = pytest.mark.timeout(300)
LIMITS = Limits(seconds=900, cell_seconds=60)
SLOW = {"07.5"}
"""An answer that never comes to an end is waited for."""
NEEDS_CLUSTER = {
    "00.1", "00.2", "00.3", "01.4", "02.3", "02.4", "03.4", "04.1", "04.2", "04.3", "04.4", "04.5", "05.12", "06.5",
    "06.6", "06.8", "06.9", "06.10", "07.4", "07.6", "08.4", "08.6", "08.7", "08.9", "08.10", "09.1", "09.4", "09.6",
    "12.8",
}  # fmt: skip
"""No answer to these can pass without a cluster."""
NO_CLUSTER = "The notebook had no cluster to check it on."


@pytest.fixture(scope="module")
def session() -> Iterator[KernelSession]:
    """A kernel without a cluster."""
    root = Path(tempfile.mkdtemp(prefix="gg"))
    sandbox = Sandbox(root, secrets.token_hex(8))
    sandbox.prepare()
    monitor = ResourceMonitor(LIMITS, Keeper(sandbox))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPUCLUSTER_DIR", str(root / "clusters"))
        kernel = KernelSession(sandbox, LIMITS, monitor)
        try:
            yield kernel
        finally:
            kernel.close()
            shutil.rmtree(root, ignore_errors=True)


def judged(session: KernelSession, one: Answer, place: Place | None = None) -> ExerciseGrade:
    session.run(one.text)
    return session.grade(one.exercise, 1, place or ("inside" if one.exercise in INSIDE else "outside"))


def right_answer(exercise: str) -> Answer:
    return next(one for one in answers_to(exercise) if one.right)


def test_no_cluster_gives_no_point(session: KernelSession) -> None:
    places: tuple[Place, ...] = ("outside", "inside")
    for one in (answer("08.4", "wrong b_two_orders"), right_answer("08.4")):
        for place in places:
            grade = judged(session, one, place)
            assert (grade.state, grade.points) == ("failed", 0), (one.id, place)
            assert grade.message == NO_CLUSTER


def _exercises(*, with_cluster: bool) -> list[str]:
    known = sorted(file.stem for file in COURSE.glob("*/answers/*.py") if file.stem not in SLOW)
    assert set(known) >= NEEDS_CLUSTER
    return [name for name in known if (name in NEEDS_CLUSTER) == with_cluster]


def _of_the_key(session: KernelSession, right: Answer) -> ExerciseGrade:
    """Judge a right answer as the answer key is judged: what does not pass so is tried once more in the other place."""
    grade = judged(session, right)
    return grade if grade.state == "passed" else judged(session, right, "inside")


def _wrong_answers() -> Iterator[Any]:
    """`make test` judges a wrong answer to the first exercise of each lesson, `make test-rest` all others."""
    known = set()
    for exercise in _exercises(with_cluster=False):
        first, *others = [one for one in answers_to(exercise) if not one.right]
        lesson = exercise.partition(".")[0]
        yield pytest.param(exercise, [first], id=exercise, marks=pytest.mark.full if lesson in known else ())
        yield pytest.param(exercise, others, id=f"{exercise}-others", marks=pytest.mark.full)
        known.add(lesson)


@pytest.fixture(scope="module")
def places_of_the_key() -> dict[str, Place]:
    """Where right answers of each exercise have passed."""
    return {}


@pytest.mark.parametrize(("exercise", "wrong"), list(_wrong_answers()))
def test_wrong_answers_fail_where_they_are_checked(
    session: KernelSession, places_of_the_key: dict[str, Place], exercise: str, wrong: list[Answer]
) -> None:
    right = right_answer(exercise)
    if exercise not in places_of_the_key:
        grade = _of_the_key(session, right)
        assert grade.state == "passed", (grade.message, grade.findings)
        places_of_the_key[exercise] = grade.place
    for one in wrong:
        session.run(right.text)
        assert judged(session, one, places_of_the_key[exercise]).state == "failed", one.id


@pytest.mark.parametrize(
    "exercise",
    [
        pytest.param(name, marks=pytest.mark.full if number else ())
        for number, name in enumerate(_exercises(with_cluster=True))
    ],
)
def test_a_right_answer_that_needs_a_cluster_fails_for_the_lack_of_one(session: KernelSession, exercise: str) -> None:
    grade = _of_the_key(session, right_answer(exercise))
    assert (grade.state, grade.message) == ("failed", NO_CLUSTER)


OWN_KINDS = {
    "02.1": answer("02.1", "right b_graphlib").text,
    "02.2": "import collections\nloads = collections.Counter(a=2, b=1, c=0, d=2, e=1)",
    "02.6": "class Own(dict):\n    pass\n"
    "collections = Own(a='DataFrame', b='Bag', c='Array', d='Delayed', e='Futures')",
}
"""Right answers of kinds that the grader does not know: an error that is a ValueError, and own dictionaries."""


@pytest.mark.parametrize("exercise", OWN_KINDS)
def test_right_answers_of_own_kinds_pass(session: KernelSession, exercise: str) -> None:
    session.run(OWN_KINDS[exercise])
    grade = session.grade(exercise, 1, "outside")
    assert grade.state == "passed", grade.findings


def test_the_memory_of_the_learners_process_is_measured(session: KernelSession) -> None:
    grade = judged(session, answer("06.2", "wrong n_by_k_by_d"), "outside")
    [memory] = [one for one in grade.findings if "Memory" in one.expected]
    assert not memory.passed
    right = judged(session, right_answer("06.2"), "outside")
    assert right.state == "passed", right.findings


def test_what_a_cell_has_measured_before_does_not_count(session: KernelSession) -> None:
    session.run("import numpy as np, tracemalloc\ntracemalloc.start()\nlarge = np.ones(50_000_000)\ndel large")
    try:
        right = judged(session, right_answer("06.2"), "outside")
        assert right.state == "passed", right.findings
        assert session.run("assert tracemalloc.is_tracing()").error == ""
    finally:
        session.run("tracemalloc.stop()")


ENDS_TRACING = """
import tracemalloc
measured = assign
def assign(points, centroids):
    tracemalloc.start()
    try:
        return measured(points, centroids)
    finally:
        tracemalloc.stop()
"""


def test_who_ends_the_measuring_has_not_used_little_memory(session: KernelSession) -> None:
    places: tuple[Place, ...] = ("outside", "inside")
    for place in places:
        session.run(answer("06.2", "wrong n_by_k_by_d").text)
        assert session.run(ENDS_TRACING).error == ""
        grade = session.grade("06.2", 1, place)
        assert grade.state == "failed"
        shown = " ".join([grade.message, *(one.observed for one in grade.findings if not one.passed)])
        assert "your code stopped tracemalloc" in shown


PATCH = """
import gpucluster.lessons.probes.memory as memory
measure_before = memory.measure_peak
memory.measure_peak = lambda function, *args, **options: (function(*args, **options), 1)
"""


def test_patching_what_measures_does_not_help(session: KernelSession) -> None:
    session.run(PATCH)
    try:
        places: tuple[Place, ...] = ("outside", "inside")
        for place in places:
            assert judged(session, answer("06.2", "wrong n_by_k_by_d"), place).state == "failed"
            assert judged(session, right_answer("06.2"), place).state == "passed"
        # The notebook has its own modules again, patched or not.
        assert session.run("assert memory is __import__('sys').modules[memory.__name__]").error == ""
        assert session.run("assert memory.measure_peak is not measure_before").error == ""
    finally:
        session.run("memory.measure_peak = measure_before")
