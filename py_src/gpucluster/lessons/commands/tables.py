"""Lessons, progress and classes as text for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ...cli.tables import table
from ...protocol.plain_text import counted
from ..catalogue import lessons
from ..learner_progress import Progress, is_due
from ..models import ClassView

_WORDS = {"passed": "passed", "failed": "not correct yet", "not_yet": "not yet", "unavailable": "could not be checked"}


def lesson_table(data: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of lessons, one a line."""
    rows = [("LESSON", "MINUTES", "NEEDS", "PASSED", "TITLE")]
    rows += [
        (one["id"], str(one["minutes"]), one["needs"].upper(), f"{one['passed']} of {one['exercises']}", one["title"])
        for one in data
    ]
    return table(rows)


def check_text(checks: Sequence[Mapping[str, Any]], errors: Sequence[str]) -> str:
    """Return what each check of a notebook says, and which cells failed."""
    lines = []
    for one in checks:
        lines.append(f"{one['exercise']} {one['title']}: {_WORDS.get(one['state'], one['state'])}")
        failed = [finding for finding in one.get("findings", ()) if not finding["passed"]]
        lines += [f"  expected: {finding['expected']}\n  observed: {finding['observed']}" for finding in failed]
    lines += [f"A cell failed: {error}" for error in errors]
    return "\n".join(lines) or "No check was run in this notebook."


def progress_text(own: Progress, path: Path) -> str:
    """Return how far a learner is."""
    rows = [("LESSON", "PASSED", "TRIED", "HINTS")]
    for lesson in lessons():
        states = [own.exercises[exercise.id] for exercise in lesson.exercises if exercise.id in own.exercises]
        passed = sum(state.state == "passed" for state in states)
        hints = sum(state.hints for state in states)
        rows.append((lesson.id, f"{passed} of {len(lesson.exercises)}", str(len(states)), str(hints)))
    right = sum(question.last_right for question in own.questions.values())
    due = sum(is_due(card) for card in own.cards.values())
    lines = [table(rows), f"Questions: {right} right of {len(own.questions)} answered. Cards due again: {due}."]
    lines.append(f"Kept in {path}." if path.is_file() else f"No progress yet. It will be saved in {path}.")
    if own.sharing.folder is not None:
        lines.append(f"Shared as {own.sharing.name} in {own.sharing.folder}.")
    return "\n".join(lines)


def minutes_text(view: ClassView) -> str:
    """Return the median time of each exercise beside the stated one."""
    rows = [
        (one.id, str(one.timed), f"{one.minutes:.0f}", str(one.stated_minutes or ""), one.title)
        for one in view.exercises
        if one.minutes is not None
    ]
    text = "No times yet: no learner has passed two exercises of a lesson within 90 minutes."
    if rows:
        text = table([("EXERCISE", "LEARNERS", "MINUTES", "STATED", "TITLE"), *rows])
    return "\n".join([text, *(["", *view.problems] if view.problems else [])])


def class_text(view: ClassView) -> str:
    """Return who is where, and what fails most."""
    if not view.learners:
        return "\n".join(["No shared progress in this folder yet.", *view.problems])
    total = sum(len(lesson.exercises) for lesson in lessons())
    rows = [("LEARNER", "PASSED", "AT", "STATE", "IDLE", "FAILS")]
    rows += [
        (
            one.name,
            f"{one.passed} of {total}",
            one.exercise or "-",
            _WORDS.get(one.state, one.state),
            _idle(one.updated_at, view.read_at),
            one.failing or "",
        )
        for one in view.learners
    ]
    passed = sum(one.passed for one in view.learners)
    lines = [
        table(rows),
        "",
        f"{counted(len(view.learners), 'learner')}, {passed} of {total * len(view.learners)} exercises passed.",
    ]
    stuck = sorted((one for one in view.exercises if one.stuck), key=lambda one: (-one.stuck, one.id))
    if stuck:
        lines += ["", "Most frequent failures:"]
    for one in stuck[:5]:
        tried = one.passed + one.stuck
        lines.append(f"  {one.id} {one.title}: {one.stuck} of {tried} who tried it are stuck")
        lines += [f"    {item.learners} × {item.property}" for item in one.failing[:3]]
    return "\n".join([*lines, *(["", *view.problems] if view.problems else [])])


def _idle(updated_at: str | None, read_at: str) -> str:
    """For how long nothing was noted."""
    if updated_at is None:
        return ""
    idle = datetime.fromisoformat(read_at) - datetime.fromisoformat(updated_at)
    minutes = max(0, round(idle.total_seconds() / 60))
    if minutes < 60:
        return f"{minutes} min" if minutes else "now"
    return f"{minutes // 60} h" if minutes < 2 * 24 * 60 else f"{minutes // (24 * 60)} days"
