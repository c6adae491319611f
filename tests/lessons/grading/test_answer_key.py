"""What happens around the runners: the answer key, and writing down what is graded so far."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from gpucluster.cli import main
from gpucluster.lessons import grading
from gpucluster.lessons.grading.answer_key import grade_key
from gpucluster.lessons.grading.grades import Property
from gpucluster.lessons.grading.job import Job
from gpucluster.lessons.grading.runner.process import Runners

from .conftest import EXERCISES, LIMITS, HandIn

Runner = Callable[[Job], grading.NotebookGrade]


def answered(job: Job, passed: bool = True) -> grading.NotebookGrade:
    finding = Property(expected="It is fast", passed=passed, observed="it took 9 s")
    state, points = ("passed", 1) if passed else ("failed", 0)
    exercises = [grading.ExerciseGrade(id=one, state=state, points=points, findings=[finding]) for one in EXERCISES]
    return grading.NotebookGrade(learner=job.learner, lesson=job.lesson, file=job.file, exercises=exercises)


def use(monkeypatch: pytest.MonkeyPatch, runner: Runner) -> list[Job]:
    asked: list[Job] = []

    def ask(job: Job, _runners: Runners) -> grading.NotebookGrade:
        asked.append(job)
        return runner(job)

    for module in (grading.answer_key, grading.whole_class):
        monkeypatch.setattr(module, "grade_in_runner", ask)
    return asked


def test_results_are_kept_after_each_notebook(hand_in: HandIn, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for learner in ("ana", "bo", "cy"):
        hand_in(learner)

    def runner(job: Job) -> grading.NotebookGrade:
        if job.learner == "cy":
            raise KeyboardInterrupt
        return answered(job)

    use(monkeypatch, runner)
    # One at a time: with several, cy may end the command before the others are through.
    assert main(["lessons", "grade", "class", "--jobs", "1"]) != 0
    rows = list(csv.DictReader((here / "grades.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["learner"], row["points"], row["file"]) for row in rows] == [
        ("ana", "3", "ana/06-kmeans.ipynb"),
        ("bo", "3", "bo/06-kmeans.ipynb"),
    ]
    assert "bo, lesson 06: 3 of 3" in (here / "grades.html").read_text(encoding="utf-8")


def test_the_key_has_more_time_than_learners(hand_in: HandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hand_in("ana")
    asked = use(monkeypatch, answered)
    grades: grading.Grades = grading.grade(grading.find_submissions(tmp_path / "class"), LIMITS, seed=7)
    of_key, learner = asked
    assert (of_key.limits.seconds, of_key.limits.cell_seconds) == (3 * LIMITS.seconds, 3 * LIMITS.cell_seconds)
    assert learner.limits == grades.limits == LIMITS


@pytest.mark.parametrize(
    ("status", "said"), [("graded", "06.2: It is fast: it took 9 s"), ("time", "--seconds"), ("memory", "--memory")]
)
def test_why_the_key_fails_is_said_and_no_success_is_claimed(
    status: str, said: str, hand_in: HandIn, here: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    hand_in("ana")
    use(monkeypatch, lambda job: answered(job, passed=bool(job.learner)).model_copy(
        update={} if job.learner else {"status": status}))  # fmt: skip
    assert main(["lessons", "grade", "class"]) == 1
    captured = capsys.readouterr()
    assert "Lesson 06: the answer key does not pass here" in captured.err
    assert said in captured.err
    [row] = csv.DictReader((here / "grades.csv").read_text(encoding="utf-8").splitlines())
    assert said in row["notes"]
    assert row["of"] == "0"


def test_what_takes_the_key_longer_than_a_learner_may_counts_for_nobody(
    hand_in: HandIn, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in("ana")

    def runner(job: Job) -> grading.NotebookGrade:
        result = answered(job, passed=not job.learner)
        if not job.learner:
            result.exercises[1].seconds = result.longest_seconds = 130
        return result

    use(monkeypatch, runner)
    assert main(["lessons", "grade", "class"]) == 0
    said = "Lesson 06: the answer key itself took 130 s of 120 s for one cell or check: allow more with --seconds"
    assert said in capsys.readouterr().err
    [row] = csv.DictReader((here / "grades.csv").read_text(encoding="utf-8").splitlines())
    assert said in row["notes"]
    assert "because the key took too long for them: 06.3." in row["notes"]
    assert (row["of"], row["06.2"], row["06.3"], row["06.4"]) == ("2", "0", "", "0")
    page = (here / "grades.html").read_text(encoding="utf-8")
    assert said in page
    assert "The answer key itself takes longer here than learners are allowed to." in page
    # More seconds are more for each cell as well.
    assert main(["lessons", "grade", "class", "--seconds", "900"]) == 0
    assert "took" not in capsys.readouterr().err
    [row] = csv.DictReader((here / "grades.csv").read_text(encoding="utf-8").splitlines())
    assert row["of"] == "3"


def test_a_key_that_nearly_fills_the_memory_of_a_learner_is_named(
    hand_in: HandIn, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in("ana")
    use(monkeypatch, lambda job: answered(job).model_copy(update={"peak_bytes": 3 * 2**30}))
    assert main(["lessons", "grade", "class", "--memory", "3.5 GiB"]) == 0
    assert "Lesson 06: the answer key itself took 3.0 GiB of the 3.5 GiB that a learner has" in capsys.readouterr().err
    assert main(["lessons", "grade", "class"]) == 0  # as it is, there is room
    assert "GiB" not in capsys.readouterr().err


def test_a_broken_notebook_counts_what_the_others_do(
    hand_in: HandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first in the list is broken; 06.3 gives no one points, as the key does not pass it."""
    hand_in("ana").write_text("{", encoding="utf-8")
    hand_in("bo")

    def runner(job: Job) -> grading.NotebookGrade:
        result = answered(job)
        if not job.learner:
            result.exercises[1].state = "failed"
        return result

    asked = use(monkeypatch, runner)
    ana, bo = grading.grade(grading.find_submissions(tmp_path / "class"), LIMITS, seed=7).submissions
    assert [(one.points, one.of) for one in (ana, bo)] == [(0, 2), (2, 2)]
    assert [one.state for one in ana.exercises] == ["not_reached", "ungraded", "not_reached"]
    asked.clear()
    (tmp_path / "class" / "bo" / "06-kmeans.ipynb").unlink()
    [ana] = grading.grade(grading.find_submissions(tmp_path / "class"), LIMITS, seed=7).submissions
    assert (ana.points, ana.of, asked) == (0, 3, []), "no key is graded without a submission"


def test_a_key_that_takes_longer_than_a_learners_notebook_may_is_named(
    hand_in: HandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in("ana")
    use(monkeypatch, lambda job: answered(job).model_copy(update={"seconds": 5 if job.learner else 61.5}))
    grades = grading.grade(grading.find_submissions(tmp_path / "class"), LIMITS, seed=7)
    assert [note.split(":")[1] for note in grades.notes] == [
        " the answer key itself took 61.5 s of the 60 s that a learner has"
    ]
    assert grades.submissions[0].of == 3


def test_the_last_run_of_the_key_checks_in_the_places_of_the_class(
    hand_in: HandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in("ana")

    def runner(job: Job) -> grading.NotebookGrade:
        result = answered(job)
        for one in result.exercises:
            one.place = job.places.get(one.id, "outside")
            one.state = "failed" if (one.id, one.place) == ("06.3", "outside") else "passed"
        return result

    monkeypatch.setattr(grading.answer_key, "INSIDE", {"06.4"})
    asked = use(monkeypatch, runner)
    grading.grade(grading.find_submissions(tmp_path / "class"), LIMITS, seed=7)
    first, last, learner = asked
    assert first.places == {"06.4": "inside"}
    assert last.places == learner.places == {"06.2": "outside", "06.3": "inside", "06.4": "inside"}


def test_a_cell_has_more_time_when_the_notebook_has() -> None:
    assert [grading.Limits(seconds=seconds).cell_seconds for seconds in (60, 300, 900)] == [120, 120, 360]
    assert grading.Limits(seconds=900, cell_seconds=20).cell_seconds == 20


@pytest.mark.parametrize(
    ("observed", "again"), [("NameError: name 'first' is not defined", True), ("it returned 3, not 4", False)]
)
def test_what_may_lack_a_cell_of_the_lesson_is_graded_with_all_of_them(
    observed: str, again: bool, hand_in: HandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in("ana")

    def runner(job: Job) -> grading.NotebookGrade:
        result = answered(job, passed=job.every_cell or not job.learner)
        result.exercises[0].findings[0].observed = observed
        return result

    asked = use(monkeypatch, runner)
    grades = grading.grade(grading.find_submissions(tmp_path / "class"), LIMITS, seed=7)
    assert [job.every_cell for job in asked] == ([False, False, True] if again else [False, False])
    assert grades.submissions[0].points == (3 if again else 0)


def test_a_key_that_needs_every_cell_gets_them_and_so_does_the_class(
    hand_in: HandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in("ana")
    asked = use(monkeypatch, lambda job: answered(job, passed=job.every_cell))
    grades = grading.grade(grading.find_submissions(tmp_path / "class"), LIMITS, seed=7)
    assert [(job.learner, job.every_cell) for job in asked] == [("", False), ("", False), ("", True), ("ana", True)]
    assert grades.submissions[0].points == 3 and not grades.notes[1:]
    asked.clear()
    grading.grade(grading.find_submissions(tmp_path / "class"), LIMITS, seed=7, every_cell=True)
    assert [job.every_cell for job in asked] == [True, True]


@pytest.mark.full
@pytest.mark.timeout(900)
def test_the_key_gets_all_points_without_what_only_shows_something(best: grading.Sandboxing) -> None:
    key = grade_key("06", grading.Limits(), 1, sandboxing=best)
    assert {one.id: one.findings for one in key.grades.values() if one.state != "passed"} == {}, key.notes
    assert not key.every_cell
