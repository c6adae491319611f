"""The results as a table that spreadsheets open."""

from __future__ import annotations

import csv
import io
import re

from ..grades import Grades
from .summary import exercise_summaries, full_points

_FORMULA = re.compile(r"(^|[;,|] ?)(?=[=+\-@＝＋－＠])")  # the wide forms are read the same way


def table_text(grades: Grades) -> str:
    """Return the results as CSV: one row per notebook, one column per exercise."""
    exercises = sorted({one.id: None for result in grades.submissions for one in result.exercises}, key=_order)
    file = io.StringIO()
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerow(
        [
            "learner",
            "lesson",
            "points",
            "of",
            "status",
            *exercises,
            "seconds",
            "peak_megabytes",
            "sandbox",
            "notes",
            "file",
            "changed_at",
        ]
    )
    for result in grades.submissions:
        about = [note for note in grades.notes if note.startswith(f"Lesson {result.lesson}:")]
        found = {one.id: one for one in result.exercises}
        points = [f"{found[name].points:g}" if name in found and found[name].of else "" for name in exercises]
        row = [
            result.learner,
            result.lesson,
            f"{result.points:g}",
            full_points(result),
            result.status,
            *points,
            f"{result.seconds:g}",
            f"{result.peak_bytes / 1e6:.0f}",
            result.protection.short if result.protection else "",
            " ".join([*result.notes, *about]),
            result.file,
            result.changed_at,
        ]
        writer.writerow([_harmless(cell) for cell in row])
    return file.getvalue()


def exercise_table_text(grades: Grades) -> str:
    """Return what fails in each exercise as CSV: one row per property that did not hold, the most frequent first.

    An exercise that all have right has one row, without a property.
    """
    file = io.StringIO()
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerow(["exercise", "title", "right", "of", "property", "failed", "failed_percent"])
    for one in sorted(exercise_summaries(grades), key=lambda one: _order(one.exercise.id)):
        for reason, failed in one.reasons or [("", 0)]:
            cells = [one.exercise.id, one.exercise.title, str(one.right), str(one.of), reason, str(failed)]
            writer.writerow([_harmless(cell) for cell in [*cells, f"{100 * failed / one.of:.0f}"]])
    return file.getvalue()


def _harmless(cell: str) -> str:
    """A spreadsheet would take a text that begins like this for a formula, and run it.

    Also in the middle, as some split the cells at semicolons whatever the file says.
    """
    return _FORMULA.sub(r"\1'", " ".join(cell.split()))


def _order(exercise: str) -> list[int]:
    return [int(part) if part.isdigit() else 0 for part in exercise.split(".")]
