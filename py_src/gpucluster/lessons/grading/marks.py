"""Marks: one row per learner, from the grades of notebooks, as a table for spreadsheets, Moodle or Canvas."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from .grades import ExerciseGrade, Grades, NotebookGrade
from .report import harmless

Keep = Literal["newest", "best"]
_SLOW_CLOCK = timedelta(minutes=5)


@dataclass(frozen=True)
class Rules:
    """How notebooks become marks.

    Attributes
    ----------
    keep : str
        Which of several notebooks of a lesson counts: the ``"newest"`` or the ``"best"``.
    deadline : datetime or None
        Aware. A notebook that was changed later counts, and is marked as late.
    weights : mapping
        Factor by lesson ("06") or exercise ("06.3"); 1 for what is left out. Both multiply.
    partial : bool
        Whether a failed exercise gets the share of its properties that hold.
    """

    keep: Keep = "newest"
    deadline: datetime | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    partial: bool = False

    def points(self, one: ExerciseGrade) -> float:
        """Return the weighted points of an exercise."""
        share = one.points
        if self.partial and one.state == "failed" and one.findings:
            share = one.of * sum(finding.passed for finding in one.findings) / len(one.findings)
        return share * self._weight(one)

    def of(self, one: ExerciseGrade) -> float:
        """Return the most that it can get."""
        return one.of * self._weight(one)

    def _weight(self, one: ExerciseGrade) -> float:
        lesson = one.id.partition(".")[0]
        return self.weights.get(lesson, 1) * self.weights.get(one.id, 1)


@dataclass(frozen=True)
class Marks:
    """What one learner gets.

    Attributes
    ----------
    points : dict
        Weighted points by lesson; lessons that were not handed in are left out.
    of : float
        The most that one can get, over all lessons of the class.
    late, missing : tuple of str
        Lessons that were handed in after the deadline, and not at all.
    notes : tuple of str
        What to look at.
    """

    learner: str
    points: dict[str, float]
    of: float
    late: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """Points of all lessons."""
        return sum(self.points.values())

    @property
    def percent(self) -> float:
        """The same in percent; 0 where nothing counts."""
        return 100 * self.total / self.of if self.of else 0.0

    @property
    def comment(self) -> str:
        """All of it in a line."""
        parts = [f"{lesson}: {_number(points)}" for lesson, points in self.points.items()]
        parts += [
            f"{what}: {', '.join(names)}" for what, names in (("late", self.late), ("missing", self.missing)) if names
        ]
        return "; ".join([*parts, *self.notes])


def marks_of(grades: Grades, rules: Rules | None = None) -> list[Marks]:
    """Return what each learner gets, in the order of the grades.

    A lesson that anyone handed in counts for all: learners without a notebook of it get no points. Notebooks of an
    unknown lesson give none, and the learner's notes say so.
    """
    rules = rules or Rules()
    full: dict[str, float] = {}
    by_learner: dict[str, dict[str, list[NotebookGrade]]] = {}
    unknown: dict[str, int] = {}
    for one in grades.submissions:
        lessons = by_learner.setdefault(one.learner, {})
        if not one.exercises:
            unknown[one.learner] = unknown.get(one.learner, 0) + 1
            continue
        full[one.lesson] = sum(rules.of(exercise) for exercise in one.exercises)
        lessons.setdefault(one.lesson, []).append(one)
    found = []
    for learner, handed_in in by_learner.items():
        kept = {lesson: _kept(notebooks, rules) for lesson, notebooks in sorted(handed_in.items())}
        notes = list(_notes(kept.values(), grades))
        if count := unknown.get(learner):
            notes.append(f"notebooks of no known lesson: {count}")
        found.append(
            Marks(
                learner,
                {lesson: _points(one, rules) for lesson, one in kept.items()},
                sum(full.values()),
                late=tuple(lesson for lesson, one in kept.items() if _is_late(one, rules.deadline)),
                missing=tuple(sorted(full.keys() - kept.keys())),
                notes=tuple(notes),
            )
        )
    return found


def _kept(notebooks: Sequence[NotebookGrade], rules: Rules) -> NotebookGrade:
    if rules.keep == "best":
        return max(notebooks, key=lambda one: (_points(one, rules), one.changed_at))
    return max(notebooks, key=lambda one: one.changed_at)


def _points(one: NotebookGrade, rules: Rules) -> float:
    return sum(rules.points(exercise) for exercise in one.exercises)


def _is_late(one: NotebookGrade, deadline: datetime | None) -> bool:
    return deadline is not None and bool(one.changed_at) and datetime.fromisoformat(one.changed_at) > deadline


def _notes(kept: Iterable[NotebookGrade], grades: Grades) -> Iterator[str]:
    graded_at = datetime.fromisoformat(grades.graded_at)
    for one in kept:
        if one.status != "graded":
            yield f"{one.lesson}: {one.status}"
        if one.changed_at and datetime.fromisoformat(one.changed_at) > graded_at + _SLOW_CLOCK:
            yield f"{one.lesson}: dated in the future"
        if tampered := [exercise.id for exercise in one.exercises if exercise.state == "tampered"]:
            yield f"tampered with: {', '.join(tampered)}"


def marks_text(marks: Sequence[Marks]) -> str:
    """Return CSV: total and percentage, what was late or missing, and a column per lesson."""
    lessons = sorted({lesson for one in marks for lesson in (*one.points, *one.missing)})
    rows = [["learner", "points", "of", "percent", *lessons, "late", "missing", "notes"]]
    rows += [
        [
            one.learner, _number(one.total), _number(one.of), f"{one.percent:.1f}",
            *(_number(one.points[lesson]) if lesson in one.points else "" for lesson in lessons),
            " ".join(one.late), " ".join(one.missing), "; ".join(one.notes),
        ]
        for one in marks
    ]  # fmt: skip
    return _csv(rows)


def moodle_text(marks: Sequence[Marks]) -> str:
    """Return CSV for Moodle's *Grades > Import > CSV file*: learners are user names, grades are percentages."""
    rows = [["username", "grade", "feedback"]]
    return _csv([*rows, *([one.learner, f"{one.percent:.1f}", one.comment] for one in marks)])


def canvas_text(marks: Sequence[Marks]) -> str:
    """Return CSV for the gradebook import of Canvas: learners are login names, grades are percentages."""
    rows = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "gpucluster"]]
    rows.append(["Points Possible", "", "", "", "", "100"])
    return _csv([*rows, *([one.learner, "", "", one.learner, "", f"{one.percent:.1f}"] for one in marks)])


def _number(points: float) -> str:
    return f"{round(points, 2):g}"


def _csv(rows: Sequence[Sequence[str]]) -> str:
    file = io.StringIO()
    csv.writer(file, quoting=csv.QUOTE_ALL).writerows([harmless(cell) for cell in row] for row in rows)
    return file.getvalue()
