"""What happens around the wardens: the answer key, and writing down what is graded so far."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from gpucluster.cli import main
from gpucluster.lessons.grading import ExerciseGrade, Grades, NotebookGrade, find_submissions, grade, running
from gpucluster.lessons.grading.job import Job
from gpucluster.lessons.grading.model import Property

from .conftest import EXERCISES, LIMITS

Warden = Callable[[Job], NotebookGrade]


def answered(job: Job, passed: bool = True) -> NotebookGrade:
    finding = Property(expected="It is fast", passed=passed, observed="it took 9 s")
    state, points = ("passed", 1) if passed else ("failed", 0)
    exercises = [ExerciseGrade(id=one, state=state, points=points, findings=[finding]) for one in EXERCISES]
    return NotebookGrade(learner=job.learner, lesson=job.lesson, file=job.file, exercises=exercises)


def use(monkeypatch: pytest.MonkeyPatch, warden: Warden) -> list[Job]:
    asked: list[Job] = []

    def ask(job: Job) -> NotebookGrade:
        asked.append(job)
        return warden(job)

    monkeypatch.setattr(running, "in_a_warden", ask)
    return asked


def test_results_are_kept_after_each_notebook(
    hand_in: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for learner in ("ana", "bo", "cy"):
        hand_in(learner)

    def warden(job: Job) -> NotebookGrade:
        if job.learner == "cy":
            raise KeyboardInterrupt
        return answered(job)

    use(monkeypatch, warden)
    monkeypatch.chdir(tmp_path)
    assert main(["lessons", "grade", "class"]) != 0
    rows = list(csv.DictReader((tmp_path / "grades.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["learner"], row["points"], row["file"]) for row in rows] == [
        ("ana", "3", "ana/06-kmeans.ipynb"),
        ("bo", "3", "bo/06-kmeans.ipynb"),
    ]
    assert "bo, lesson 06: 3 of 3" in (tmp_path / "grades.html").read_text(encoding="utf-8")


def test_the_key_has_more_time_than_learners(
    hand_in: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in("ana")
    asked = use(monkeypatch, answered)
    grades: Grades = grade(find_submissions(tmp_path / "class"), LIMITS, seed=7)
    key, learner = asked
    assert (key.limits.seconds, key.limits.cell_seconds) == (3 * LIMITS.seconds, 3 * LIMITS.cell_seconds)
    assert learner.limits == grades.limits == LIMITS


@pytest.mark.parametrize(
    ("status", "said"),
    [("graded", "06.2: It is fast: it took 9 s"), ("time", "--seconds"), ("memory", "--memory")],
)
def test_why_the_key_fails_is_said_and_no_success_is_claimed(
    status: str, said: str, hand_in: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    hand_in("ana")
    use(monkeypatch, lambda job: answered(job, passed=bool(job.learner)).model_copy(
        update={} if job.learner else {"status": status}))  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["lessons", "grade", "class"]) == 1
    captured = capsys.readouterr()
    assert "Lesson 06: the answer key does not pass here" in captured.err
    assert said in captured.err
    [row] = csv.DictReader((tmp_path / "grades.csv").read_text(encoding="utf-8").splitlines())
    assert said in row["notes"]
    assert row["of"] == "0"
