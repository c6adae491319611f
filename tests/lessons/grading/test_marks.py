"""Marks: one row per learner, made of the grades of notebooks."""

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from gpucluster.cli import main
from gpucluster.lessons.grading import (
    ExerciseGrade,
    Grades,
    Limits,
    NotebookGrade,
    Rules,
    canvas_text,
    marks_of,
    marks_text,
    moodle_text,
)
from gpucluster.lessons.grading.grades import Property
from gpucluster.lessons.grading.whole_class import mark_alike

GRADED_AT = "2026-11-21T10:00:00+00:00"


def exercise(number: str, passed: int, of: int = 6, **more: Any) -> ExerciseGrade:
    """An exercise of whose properties some hold."""
    findings = [Property(expected=f"{n}", passed=n < passed, observed="") for n in range(of)]
    state = "passed" if passed == of else "failed"
    return ExerciseGrade(id=number, points=float(passed == of), state=state, findings=findings, **more)


def notebook(learner: str, lesson: str, held: list[int], day: int = 20, **more: Any) -> NotebookGrade:
    exercises = [exercise(f"{lesson}.{number}", passed) for number, passed in enumerate(held, start=2)]
    return NotebookGrade(
        learner=learner, lesson=lesson, file=f"{learner}-{lesson}-{day}.ipynb", exercises=exercises,
        points=sum(one.points for one in exercises), of=len(exercises), changed_at=f"2026-11-{day}T12:00:00+00:00",
        **more,
    )  # fmt: skip


def grades(*notebooks: NotebookGrade) -> Grades:
    return Grades(graded_at=GRADED_AT, version="1", seed=7, limits=Limits(), submissions=list(notebooks))


CLASS = grades(
    notebook("ana", "06", [6, 6, 5], day=18),
    notebook("ana", "06", [6, 3, 0], day=19),
    notebook("ana", "07", [6, 0], day=20),
    notebook("bo", "06", [6, 6, 6], day=30),
    NotebookGrade(learner="bo", lesson="unknown", file="x.ipynb", status="unreadable"),
)


def test_one_row_per_learner_and_a_missing_notebook_counts_zero() -> None:
    ana, bo = marks_of(CLASS)
    assert (ana.points, ana.of, ana.missing) == ({"06": 1, "07": 1}, 5, ())
    assert (bo.points, bo.of, bo.missing, bo.percent) == ({"06": 3}, 5, ("07",), 60)
    assert bo.notes == ("06: dated in the future", "notebooks of no known lesson: 1")


@pytest.mark.parametrize(
    ("rules", "total", "of"),
    [
        (Rules(keep="newest"), 2, 5),
        (Rules(keep="best"), 3, 5),
        (Rules(keep="best", partial=True), 3 + 5 / 6, 5),
        (Rules(partial=True), 2 + 3 / 6, 5),
        (Rules(weights={"07": 2}), 1 + 2, 3 + 4),
        (Rules(weights={"06": 2, "06.3": 0, "07.2": 0.5}), 2 + 0.5, 4 + 1.5),
    ],
)
def test_rules_decide_what_counts(rules: Rules, total: float, of: float) -> None:
    ana = marks_of(CLASS, rules)[0]
    assert (ana.total, ana.of) == (pytest.approx(total), pytest.approx(of))


def test_notebooks_after_the_deadline_count_and_are_marked() -> None:
    deadline = datetime(2026, 11, 19, 12, tzinfo=UTC)
    ana, bo = marks_of(CLASS, Rules(deadline=deadline))
    assert (ana.late, bo.late) == (("07",), ("06",)), "on the second is in time"
    assert ana.total == 2


def test_what_gives_no_points_to_anyone_changes_no_percentage() -> None:
    uncounted = ExerciseGrade(id="06.3", of=0, state="ungraded")
    one = NotebookGrade(learner="ana", lesson="06", file="a", exercises=[exercise("06.2", 6), uncounted])
    assert marks_of(grades(one))[0].percent == 100
    assert marks_of(grades(NotebookGrade(learner="ana", lesson="06", file="a", exercises=[uncounted])))[0].percent == 0


def test_tables_open_in_a_spreadsheet_moodle_and_canvas() -> None:
    marks = marks_of(grades(notebook("=ana", "06", [6, 0]), notebook("bo", "07", [6], status="time")))
    plain = list(csv.DictReader(io.StringIO(marks_text(marks))))
    assert plain[0] == {
        "learner": "'=ana", "points": "1", "of": "3", "percent": "33.3", "06": "1", "07": "", "late": "",
        "missing": "07", "notes": "",
    }  # fmt: skip
    assert plain[1]["notes"] == "07: time"
    assert list(csv.reader(io.StringIO(moodle_text(marks))))[1:] == [
        ["'=ana", "33.3", "06: 1; missing: 07"], ["bo", "33.3", "07: 1; missing: 06; 07: time"],
    ]  # fmt: skip
    header, points, *rows = csv.reader(io.StringIO(canvas_text(marks)))
    assert (header[-1], points[0], points[-1]) == ("gpucluster", "Points Possible", "100")
    assert [(row[3], row[-1]) for row in rows] == [("'=ana", "33.3"), ("bo", "33.3")]


def test_the_command_writes_marks_of_a_file_of_grades(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("grades.json").write_text(CLASS.model_dump_json(), encoding="utf-8")
    options = ["--keep", "best", "--partial", "--weights", "07=2,06.3=0", "--deadline", "2026-11-25T00:00+00:00"]
    assert main(["lessons", "marks", *options]) == 0
    assert capsys.readouterr().out.startswith("2 learners, out of 6 points. Late: 1. Written: ")
    ana, bo = csv.DictReader(Path("marks.csv").read_text(encoding="utf-8").splitlines())
    assert (ana["06"], ana["07"], bo["late"]) == ("1.83", "2", "06")
    assert main(["lessons", "marks", "--format", "canvas", "--out", "canvas.csv", "--json"]) == 0
    assert [one["percent"] for one in json.loads(capsys.readouterr().out)] == [40, 60]
    assert "SIS Login ID" in Path("canvas.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere.json"], "'gpucluster lessons grade' writes it"),
        (["grades.csv"], "has no grades"),
        (["--keep", "first"], "--keep: must be one of newest, best, not 'first'"),
        (["--format", "xls"], "--format: must be one of csv, moodle, canvas"),
        (["--deadline", "tomorrow"], "--deadline: must be a time such as"),
        (["--weights", "99=2"], "--weights: must be lessons or exercises such as"),
        (["--weights", "06.99=2"], "--weights: must be"),
        (["--weights", "06=-1"], "--weights: must be"),
        (["--weights", "06=nan"], "--weights: must be"),
        (["--weights", "06"], "--weights: must be"),
        (["--out", "."], "is a directory"),
    ],
)
def test_what_cannot_be_used_is_named(words: list[str], told: str, here: Path, capsys: Any) -> None:
    Path("grades.json").write_text(CLASS.model_dump_json(), encoding="utf-8")
    Path("grades.csv").write_text("learner\n", encoding="utf-8")
    assert main(["lessons", "marks", *words]) == 2
    assert told in capsys.readouterr().err
    assert not Path("marks.csv").exists()


def with_answers(**fingerprints: str) -> list[NotebookGrade]:
    return [
        NotebookGrade(learner=learner, lesson="06", file=learner, exercises=[exercise("06.2", 6, fingerprint=found)])
        for learner, found in fingerprints.items()
    ]


def test_answers_that_are_alike_name_each_other_and_the_solution() -> None:
    found = with_answers(ana="a", bo="b", cy="b", dee="s", eve="", fox="")
    mark_alike(found, {"06.2": "s"})
    assert [one.exercises[0].alike for one in found] == [[], ["cy"], ["bo"], ["solution"], [], []]


def test_what_most_would_write_is_no_hint() -> None:
    found = with_answers(**{f"learner{number}": "s" if number < 4 else f"{number}" for number in range(8)})
    mark_alike(found, {"06.2": "s"})
    assert all(not one.exercises[0].alike for one in found)
    mark_alike(few := with_answers(ana="s", bo="s", cy="s"), {"06.2": "s"})
    assert few[0].exercises[0].alike == ["solution", "bo", "cy"]
