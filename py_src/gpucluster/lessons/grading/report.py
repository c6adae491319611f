"""What grading reports: tables, a page for the instructor, and one for each learner."""

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path

from ..results import failure
from .grades import INSIDE_NOTE, ExerciseGrade, Grades, NotebookGrade

# A class at a glance: who is meant where names are the same, and what fails most in each exercise.


_STATES = {
    "not_yet": "left empty",
    "not_reached": "not reached",
    "tampered": "tampered with",
}


def shown_names(grades: Grades) -> list[str]:
    """Return how to call each notebook's learner, with the file where one learner has several of a lesson."""
    count = Counter((one.learner, one.lesson) for one in grades.submissions)
    return [
        one.learner if count[one.learner, one.lesson] == 1 else f"{one.learner} ({one.file})"
        for one in grades.submissions
    ]


def points_of(one: NotebookGrade) -> str:
    """Return "3 of 10", without the total for an unknown lesson."""
    return f"{one.points:g} of {full_points(one)}"


def full_points(one: NotebookGrade) -> str:
    """Return how many points a right notebook has."""
    return f"{one.of:g}" if one.exercises else "unknown"


@dataclass(frozen=True)
class ExerciseSummary:
    """One exercise over all notebooks that had it.

    Attributes
    ----------
    exercise : ExerciseGrade
        Says which exercise it is.
    right, of : int
        Notebooks that have it right, and all of them.
    reasons : list of (str, int)
        What does not hold, or that it was left empty, and in how many notebooks; the most frequent first.
    """

    exercise: ExerciseGrade
    right: int
    of: int
    reasons: list[tuple[str, int]]


def exercise_summaries(grades: Grades) -> list[ExerciseSummary]:
    """Return how the class did in each exercise that counts."""
    together: dict[str, list[ExerciseGrade]] = {}
    for one in grades.submissions:
        for exercise in one.exercises:
            if exercise.state != "ungraded":
                together.setdefault(exercise.id, []).append(exercise)
    rows = []
    for entries in together.values():
        right = sum(entry.state == "passed" for entry in entries)
        reasons = Counter(reason for entry in entries for reason in _reasons(entry))
        ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
        rows.append(ExerciseSummary(entries[0], right, len(entries), ranked))
    return rows


def _reasons(entry: ExerciseGrade) -> set[str]:
    if entry.state == "passed":
        return set()
    missing = {failure(one.expected, one.observed) for one in entry.findings if not one.passed}
    return missing or {_STATES.get(entry.state) or entry.message or "incorrect"}


# The results as a table that spreadsheets open.


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
            "alike",
            "file",
            "changed_at",
        ]
    )
    for result in grades.submissions:
        about = [
            note for note in grades.notes if note.startswith(f"Lesson {result.lesson}:") and INSIDE_NOTE not in note
        ]
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
            "; ".join(_alike(result)),
            result.file,
            result.changed_at,
        ]
        writer.writerow([harmless(cell) for cell in row])
    return file.getvalue()


def _alike(notebook: NotebookGrade) -> list[str]:
    """Whose answers are like this learner's, but for names, comments and spaces."""
    return [f"{one.id}: {', '.join(one.alike)}" for one in notebook.exercises if one.alike]


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
            writer.writerow([harmless(cell) for cell in [*cells, f"{100 * failed / one.of:.0f}"]])
    return file.getvalue()


def harmless(cell: str) -> str:
    """Return a text for a cell that no spreadsheet runs as a formula.

    Also in the middle, as some split the cells at semicolons whatever the file says.
    """
    return _FORMULA.sub(r"\1'", " ".join(cell.split()))


def _order(exercise: str) -> list[int]:
    return [int(part) if part.isdigit() else 0 for part in exercise.split(".")]


# The results as a page: one file, no script, nothing loaded from elsewhere.


_MOST_REASONS = 3

STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 70rem; margin: 0 auto; padding: 1rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid #8888; padding: 0.25rem 0.6rem; text-align: left; vertical-align: top; }
details { border: 1px solid #8888; border-radius: 4px; padding: 0 0.75rem; margin: 0.5rem 0; }
summary { cursor: pointer; padding: 0.4rem 0; }
"""
STATE_WORDS = {
    "passed": "✓ passed",
    "failed": "✗ incorrect",
    "not_yet": "… empty",
    "not_reached": "! not reached",
    "tampered": "! tampered with",
    "ungraded": "– not graded",
}
STATUS_WORDS = {
    "graded": "graded",
    "time": "ended: too much time",
    "memory": "ended: too much memory",
    "processes": "ended: too many processes",
    "threads": "ended: too many threads",
    "stopped": "ended early",
    "unreadable": "cannot be read",
}


def html_report(grades: Grades) -> str:
    """Return the results as HTML: a table of the class, then each notebook with what was expected and observed."""
    limits = grades.limits
    about = (
        f"Graded at {escape(grades.graded_at)} with gpucluster {escape(grades.version)}, seed {grades.seed}. "
        f"Limits per notebook: {limits.seconds:g} s, {limits.memory_bytes / 2**30:.1f} GiB, "
        f"{limits.processes} processes, {limits.threads:,} threads."
    )
    names = shown_names(grades)
    rows = "".join(
        f"<tr><td><a href='#n{number}'>{escape(names[number])}</a></td><td>{escape(one.lesson)}</td>"
        f"<td>{points_of(one)}</td><td>{STATUS_WORDS[one.status]}</td><td>{one.seconds:g} s</td>"
        f"<td>{one.peak_bytes / 1e6:.0f} MB</td></tr>"
        for number, one in enumerate(grades.submissions)
    )
    notes = "".join(f"<li>{escape(note)}</li>" for note in [*_protection(grades), *grades.notes])
    parts = "".join(_notebook(number, names[number], one) for number, one in enumerate(grades.submissions))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>Grades</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>Grades</h1>\n<p>{about}</p>\n"
        f"<ul>{notes}</ul>\n<table><thead><tr><th>Learner</th><th>Lesson</th><th>Points</th><th>Status</th>"
        f"<th>Time</th><th>Memory</th></tr></thead><tbody>{rows}</tbody></table>\n{_exercises(grades)}{parts}\n</body>\n</html>\n"
    )


def _protection(grades: Grades) -> list[str]:
    """What protected this machine from the notebooks, and what they could still do."""
    had: dict[str, list[str]] = {}
    for one in grades.submissions:
        if one.protection is not None:
            had[str(one.protection)] = one.protection.gaps
    return [f"Isolation of the notebooks: {kind}. {' '.join(gaps)}".rstrip() for kind, gaps in had.items()]


def _exercises(grades: Grades) -> str:
    rows = "".join(
        f"<tr><td>{escape(one.exercise.id)} {escape(one.exercise.title)}</td><td>{one.right} of {one.of}</td>"
        f"<td>{_reasons_shown(one)}</td></tr>"
        for one in exercise_summaries(grades)
    )
    head = "<thead><tr><th>Exercise</th><th>Right</th><th>What fails most</th></tr></thead>"
    return f"<h2>Exercises</h2>\n<table>{head}<tbody>{rows}</tbody></table>\n" if rows else ""


def _reasons_shown(one: ExerciseSummary) -> str:
    """What fails most; the rest opens with a click."""
    told = [escape(f"{learners} × {reason}") for reason, learners in one.reasons]
    rest = told[_MOST_REASONS:]
    more = f"<details><summary>{len(rest)} more</summary>{'<br>'.join(rest)}</details>" if rest else ""
    return "<br>".join(told[:_MOST_REASONS]) + more


def _notebook(number: int, name: str, one: NotebookGrade) -> str:
    alike = [f"Same code but for names, comments and spaces: {'; '.join(found)}."] if (found := _alike(one)) else []
    notes = "".join(f"<li>{escape(note)}</li>" for note in [*one.notes, *alike])
    exercises = "".join(exercise_details(exercise) for exercise in one.exercises)
    about = " · ".join([STATUS_WORDS[one.status], escape(one.file), *([str(one.protection)] if one.protection else [])])
    return (
        f'<h2 id="n{number}">{escape(name)}, lesson {escape(one.lesson)}: {points_of(one)}</h2>\n'
        f"<p>{about}</p>\n<ul>{notes}</ul>\n{exercises}\n"
    )


def exercise_details(one: ExerciseGrade, after: str = "") -> str:
    """Return one exercise as HTML: what was expected and observed, and what comes after it."""
    rows = "".join(
        f"<tr><td>{'✓' if finding.passed else '✗'}</td><td>{escape(finding.expected)}</td>"
        f"<td>{escape(finding.observed)}</td></tr>"
        for finding in one.findings
    )
    table = (
        f"<table><thead><tr><th></th><th>Expected</th><th>Observed</th></tr></thead><tbody>{rows}</tbody></table>"
        if rows
        else ""
    )
    inside = "<p>Checked inside the learner's kernel.</p>" if one.place == "inside" else ""
    message = f"<p>{escape(one.message)}</p>" if one.message else ""
    held = f", {sum(finding.passed for finding in one.findings)} of {len(one.findings)} properties" if rows else ""
    return (
        f"<details><summary>{escape(one.id)} {escape(one.title)}: {STATE_WORDS[one.state]} "
        f"({one.points:g} of {one.of:g}{held})</summary>{message}{inside}{table}{after}</details>\n"
    )


# A page for each learner, to hand back: their own points, what holds and what does not, and where to go on.


_PLAIN = re.compile(r"[^\w.-]+")
_NAME_BYTES = 200
_MADE_BY = '<meta name="generator" content="gpucluster lessons grade">'
_OWN_FAULT = {"failed", "not_yet", "not_reached"}


def learner_page(grades: Grades, learner: str) -> str:
    """Return a learner's page as HTML. Nothing of another learner is on it, and not what held the notebook back."""
    parts = "".join(_notebook_of_learner(grades, one) for one in grades.submissions if one.learner == learner)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{_MADE_BY}\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape(learner)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{escape(learner)}</h1>\n"
        f"<p>Graded at {escape(grades.graded_at)}. Each exercise gives one point or none. "
        f"The inputs were hidden, and the same for all.</p>\n{parts}</body>\n</html>\n"
    )


def others_pages(folder: Path, names: Iterable[str]) -> list[str]:
    """Return the names of pages in a folder that only an earlier run made."""
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


def _notebook_of_learner(grades: Grades, one: NotebookGrade) -> str:
    about_lesson = [note for note in grades.notes if note.startswith(f"Lesson {one.lesson}:")]
    notes = "".join(f"<li>{escape(note)}</li>" for note in [*one.notes, *about_lesson])
    is_read = one.status != "unreadable"
    exercises = "".join(
        exercise_details(exercise, _next_step(exercise) if is_read else "") for exercise in one.exercises
    )
    status = (
        "" if one.status == "graded" else f"<p>This notebook was not graded completely: {STATUS_WORDS[one.status]}.</p>"
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
    return f"<p>Continue with {escape(nearest.id)} {escape(nearest.title)}.</p>\n"


def _next_step(exercise: ExerciseGrade) -> str:
    if exercise.state not in _OWN_FAULT:
        return ""
    number = escape(exercise.id)
    return f'<p>In the notebook, <code>hint("{number}")</code> shows the next hint.</p>'
