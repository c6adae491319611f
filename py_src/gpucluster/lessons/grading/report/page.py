"""The results as a page: one file, no script, nothing loaded from elsewhere."""

from __future__ import annotations

from html import escape

from ..grades import ExerciseGrade, Grades, NotebookGrade
from .summary import ExerciseSummary, exercise_summaries, points_of, shown_names

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
    "failed": "✗ not right",
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
    """What kept the notebooks from harm, and what they could do all the same."""
    had: dict[str, list[str]] = {}
    for one in grades.submissions:
        if one.protection is not None:
            had[str(one.protection)] = one.protection.gaps
    return [f"What held a notebook back: {kind}. {' '.join(gaps)}".rstrip() for kind, gaps in had.items()]


def _exercises(grades: Grades) -> str:
    rows = "".join(
        f"<tr><td>{escape(one.exercise.id)} {escape(one.exercise.title)}</td><td>{one.right} of {one.of}</td>"
        f"<td>{_reasons(one)}</td></tr>"
        for one in exercise_summaries(grades)
    )
    head = "<thead><tr><th>Exercise</th><th>Right</th><th>What fails most</th></tr></thead>"
    return f"<h2>Exercises</h2>\n<table>{head}<tbody>{rows}</tbody></table>\n" if rows else ""


def _reasons(one: ExerciseSummary) -> str:
    """What fails most; the rest opens with a click."""
    told = [escape(f"{learners} × {reason}") for reason, learners in one.reasons]
    rest = told[_MOST_REASONS:]
    more = f"<details><summary>{len(rest)} more</summary>{'<br>'.join(rest)}</details>" if rest else ""
    return "<br>".join(told[:_MOST_REASONS]) + more


def _notebook(number: int, name: str, one: NotebookGrade) -> str:
    notes = "".join(f"<li>{escape(note)}</li>" for note in one.notes)
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
