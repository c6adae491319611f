"""A page for each learner, to hand back: their own points, what holds and what does not, and where to go on."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from html import escape
from pathlib import Path

from ..grades import ExerciseGrade, Grades, NotebookGrade
from .page import STATUS_WORDS, STYLE, exercise_details
from .summary import points_of

_PLAIN = re.compile(r"[^\w.-]+")
_NAME_BYTES = 200
_MADE_BY = '<meta name="generator" content="gpucluster lessons grade">'
_OWN_FAULT = {"failed", "not_yet", "not_reached"}


def learner_page(grades: Grades, learner: str) -> str:
    """Return a learner's page as HTML. Nothing of another learner is on it, and not what held the notebook back."""
    parts = "".join(_notebook(grades, one) for one in grades.submissions if one.learner == learner)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{_MADE_BY}\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape(learner)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{escape(learner)}</h1>\n"
        f"<p>Graded at {escape(grades.graded_at)}. Each exercise gives one point or none. "
        f"The inputs were hidden, and the same for all.</p>\n{parts}</body>\n</html>\n"
    )


def others_pages(folder: Path, names: Iterable[str]) -> list[str]:
    """Return the names of pages in a folder that were made by an earlier run, and by this one for nobody."""
    found = set()
    for path in folder.glob("*.html"):
        with suppress(OSError), path.open(encoding="utf-8", errors="replace") as file:
            if _MADE_BY in file.read(1000):
                found.add(path.name)
    return sorted(found - set(names))


def file_names(learners: Iterable[str]) -> dict[str, str]:
    """Return the name of each learner's file: letters and digits of any language, dots and dashes only.

    Parameters
    ----------
    learners : iterable of str
        All of the class: where names are the same but for other letters, the later ones get a number.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for learner in dict.fromkeys(learners):
        plain = _PLAIN.sub("-", unicodedata.normalize("NFC", learner)).strip("-.") or "learner"
        plain = plain.encode()[:_NAME_BYTES].decode(errors="ignore")
        name, number = plain, 2
        while name.casefold() in taken:  # as on disks that do not tell capital letters from small ones
            name, number = f"{plain}-{number}", number + 1
        taken.add(name.casefold())
        names[learner] = f"{name}.html"
    return names


def _notebook(grades: Grades, one: NotebookGrade) -> str:
    about_lesson = [note for note in grades.notes if note.startswith(f"Lesson {one.lesson}:")]
    notes = "".join(f"<li>{escape(note)}</li>" for note in [*one.notes, *about_lesson])
    is_read = one.status != "unreadable"
    exercises = "".join(
        exercise_details(exercise, _next_step(exercise) if is_read else "") for exercise in one.exercises
    )
    status = (
        "" if one.status == "graded" else f"<p>This notebook was not graded to its end: {STATUS_WORDS[one.status]}.</p>"
    )
    return (
        f"<h2>Lesson {escape(one.lesson)}: {points_of(one)}</h2>\n<p>{escape(one.file)}</p>\n{status}"
        f"{f'<ul>{notes}</ul>' if notes else ''}\n{_go_on(one)}{exercises}\n"
    )


def _go_on(one: NotebookGrade) -> str:
    """Say with which exercise to go on: one that is nearly right, else the first without a point."""
    left = [exercise for exercise in one.exercises if exercise.state in _OWN_FAULT]
    if not left or one.status == "unreadable":
        return ""

    def missing(exercise: ExerciseGrade) -> tuple[bool, int]:
        failed = sum(not finding.passed for finding in exercise.findings)
        return not failed, failed  # an answer that is there comes before one that is not

    nearest = min(left, key=missing)
    return f"<p>Go on with {escape(nearest.id)} {escape(nearest.title)}.</p>\n"


def _next_step(exercise: ExerciseGrade) -> str:
    if exercise.state not in _OWN_FAULT:
        return ""
    number = escape(exercise.id)
    return f'<p>In the notebook, <code>hint("{number}")</code> shows the next hint.</p>'
