"""An interrupted run continues where it stopped, several notebooks at a time, and the results keep their order."""

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from gpucluster.cli import main
from gpucluster.lessons.grading import (
    ExerciseGrade,
    Grades,
    Limits,
    NotebookGrade,
    Progress,
    Sandboxing,
    find_submissions,
    grade,
    whole_class,
)  # fmt: skip
from gpucluster.lessons.grading.answer_key import AnswerKey
from gpucluster.lessons.grading.grades import Protection
from gpucluster.lessons.grading.job import Job
from gpucluster.lessons.grading.progress import ProgressTaken
from gpucluster.lessons.grading.runner.process import Runners
from gpucluster.lessons.grading.sandbox.kinds import notebooks_at_a_time
from gpucluster.protocol.errors import InvalidRequest

from .conftest import EXERCISES, Graded, HandIn

LEARNERS = ("ana", "bo", "cy", "dee")


class Graders:
    """Stands in for runners: which learners were graded, how many at a time, and where to stop."""

    def __init__(self) -> None:
        self.graded: list[str] = []
        self.most = self.now = 0
        self.stop_at = ""
        self.keys = 0
        self._lock = threading.Lock()

    def grade(self, job: Job, _runners: Runners) -> NotebookGrade:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(0.2 if job.learner == "ana" else 0.05)  # the first one is the last to be done
        with self._lock:
            self.now -= 1
            self.graded.append(job.learner)
        if job.learner == self.stop_at:
            raise KeyboardInterrupt
        exercises = [ExerciseGrade(id=number, points=1, state="passed") for number in EXERCISES]
        return NotebookGrade(
            learner=job.learner, lesson="06", file=job.file, exercises=exercises, protection=Protection(landlock=7)
        )

    def key(self, _lesson: str, _limits: Limits, _seed: int, **_options: object) -> AnswerKey:
        self.keys += 1
        return AnswerKey({number: ExerciseGrade(id=number, state="passed") for number in EXERCISES}, ("Lesson 06: x",))


@pytest.fixture
def graders(monkeypatch: pytest.MonkeyPatch) -> Graders:
    made = Graders()
    monkeypatch.setattr(whole_class, "grade_in_runner", made.grade)
    monkeypatch.setattr(whole_class, "grade_key", made.key)
    return made


@pytest.fixture
def run(hand_in: HandIn, tmp_path: Path) -> Callable[..., Grades]:
    """Grade the class, beside a file that says what is graded."""
    for learner in LEARNERS:
        hand_in(learner)

    def once(*, jobs: int = 1, again: bool = False, seed: int | None = None, limits: Limits | None = None) -> Grades:
        progress = Progress(tmp_path / "grades.progress", again=again)
        try:
            found = find_submissions(tmp_path / "class")
            return grade(found, limits, seed=seed, sandboxing=Sandboxing(), jobs=jobs, progress=progress)
        finally:
            progress.close()

    return once


def test_several_at_a_time_give_the_same_results(graders: Graders, run: Graded) -> None:
    one = run(seed=3)
    assert graders.most == 1
    several = run(seed=3, jobs=4, again=True)
    assert graders.most > 1
    assert [result.learner for result in several.submissions] == list(LEARNERS)
    assert several.submissions == one.submissions
    assert several.notes == ["Lesson 06: x"]
    assert graders.graded[-1] == "ana", "the first one was the last to be done"


def test_what_is_graded_is_not_graded_again(graders: Graders, run: Graded, hand_in: HandIn, tmp_path: Path) -> None:
    graders.stop_at = "cy"
    with pytest.raises(KeyboardInterrupt):
        run()
    graders.stop_at = ""
    with open(tmp_path / "grades.progress", "ab") as file:
        file.write(b'\n{"of": "cy/06-kmeans.ipynb", "fing')  # half a line, as a kill leaves it
    kept = [line for line in (tmp_path / "grades.progress").read_text().splitlines() if '"seed"' in line]
    seed = json.loads(kept[0])["seed"]
    graders.graded.clear()
    second = run()
    assert (graders.graded, graders.keys, second.seed) == (["cy", "dee"], 1, seed)
    assert [result.points for result in second.submissions] == [3.0] * 4
    assert [result.learner for result in second.submissions] == list(LEARNERS)
    graders.graded.clear()
    os.utime(hand_in("bo", "x = 1"), (0, 1_800_000_000))  # handed in again
    third = {result.learner: result for result in run().submissions}
    assert third["bo"].changed_at == "2027-01-15T08:00:00+00:00"
    third["bo"].changed_at = second.submissions[1].changed_at
    assert list(third.values()) == second.submissions
    assert graders.graded == ["bo"]
    for options in ({"seed": seed + 1}, {"limits": Limits(seconds=400)}, {"again": True}):
        graders.graded.clear()
        run(**options)
        assert sorted(graders.graded) == list(LEARNERS), options


def test_one_learner_is_graded_again_and_marks_come_from_the_record(
    graders: Graders, hand_in: HandIn, here: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    for learner in LEARNERS:
        hand_in(learner)
    assert main(["lessons", "grade", "class"]) == 0
    graders.graded.clear()
    assert main(["lessons", "grade", "class", "--learner", "bo"]) == 0
    assert graders.graded == ["bo"]
    record = here / "grades.json"
    assert [one.learner for one in Grades.model_validate_json(record.read_bytes()).submissions] == list(LEARNERS)
    assert record.stat().st_mode & 0o077 == 0
    assert main(["lessons", "marks"]) == 0
    assert (here / "marks.csv").read_text(encoding="utf-8").count('"100.0"') == len(LEARNERS)
    capsys.readouterr()
    assert main(["lessons", "grade", "class", "--learner", "Bo"]) == 2
    assert "no notebook of 'Bo' was handed in. Did you mean 'bo'?" in capsys.readouterr().err
    assert main(["lessons", "grade", "class", "--out", "grades.json"]) == 2


def test_a_changed_lesson_is_graded_again(graders: Graders, run: Graded, small_lesson: Path, tmp_path: Path) -> None:
    run()
    graders.graded.clear()
    (small_lesson / "06-kmeans" / "note.txt").write_text("changed", encoding="utf-8")
    try:
        run()
    finally:
        (small_lesson / "06-kmeans" / "note.txt").unlink()
    assert (sorted(graders.graded), graders.keys) == (list(LEARNERS), 2)


def test_only_a_file_of_ones_own_is_believed(tmp_path: Path) -> None:
    path = tmp_path / "grades.progress"
    progress = Progress(path)
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(ProgressTaken, match="Another run writes"):
        Progress(path)
    progress.close()
    path.chmod(0o666)
    with pytest.raises(InvalidRequest, match="others can write to it"):
        Progress(path)
    (tmp_path / "link").symlink_to(path)
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe"):
        with pytest.raises(InvalidRequest):
            Progress(tmp_path / name)


def test_how_many_at_a_time_depends_on_processors_and_memory() -> None:
    assert notebooks_at_a_time(Limits(memory_bytes=2**20)) == len(os.sched_getaffinity(0))
    assert notebooks_at_a_time(Limits(memory_bytes=2**50)) == 1


def test_a_sandbox_that_is_not_known_is_refused_before_anything_runs(
    hand_in: HandIn, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in("ana")
    assert main(["lessons", "grade", "class", "--sandbox", "jail"]) == 2
    assert "--sandbox: must be one of auto, bubblewrap" in capsys.readouterr().err
    assert main(["lessons", "grade", "class", "--sandbox", "container"]) == 2
    assert "name an image with --image" in capsys.readouterr().err
    assert not (here / "grades.csv").exists()
