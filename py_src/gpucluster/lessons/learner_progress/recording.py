"""``record(event)``: write down what a learner just did."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from ...protocol.errors import GPUClusterError, invalid_request
from .events import (
    EVENT,
    CardEvent,
    CheckEvent,
    Event,
    ExamEvent,
    HintEvent,
    ParsonsEvent,
    PredictionEvent,
    QuestionEvent,
    SolutionEvent,
)
from .model import (
    NEWEST_ATTEMPTS,
    NEWEST_EXAMS,
    Attempt,
    ExamProgress,
    ExerciseProgress,
    PredictionProgress,
    Progress,
    QuestionProgress,
    State,
    now,
    turned,
)
from .store import edit

_said: set[str] = set()


def record(event: Event | Mapping[str, Any], folder: Path | None = None) -> Progress:
    """Write an event into the learner's progress file.

    Parameters
    ----------
    event : event model or mapping
        Such as ``{"kind": "card", "id": "03.c1", "known": True}``.
    folder : pathlib.Path, optional
        Folder of the progress file. Left out: see `learner_folder`.

    Returns
    -------
    Progress
        After the event.

    Raises
    ------
    InvalidRequest
        When the event is not one of those that exist.
    ProgressUnreadable
        When the file cannot be read or written; it is left as it is.
    """
    if not isinstance(event, BaseModel):
        try:
            event = EVENT.validate_python(event)
        except ValidationError as error:
            raise invalid_request(error) from None
    with edit(folder) as progress:
        apply(progress, event, now())
    return progress


def note(event: Event | Mapping[str, Any]) -> None:
    """Record an event from inside a lesson: what goes wrong is said once, in one line, and disturbs nothing."""
    try:
        if (why := record(event).not_shared) is not None:
            _say_once(why, f"Saved, but not shared with your class: {why}")
    except GPUClusterError as error:
        _say_once(error.message, f"Not saved to your progress: {error.message}")
    except Exception as error:  # a lesson goes on, whatever is wrong with its folder
        name = type(error).__name__
        _say_once(name, f"Not saved to your progress: {name}: {error}")


def _say_once(what: str, sentence: str) -> None:
    if what not in _said:
        _said.add(what)
        print(sentence)


def apply(progress: Progress, event: Event, at: datetime) -> None:
    """Change the progress as the event says."""
    if isinstance(event, CheckEvent):
        _checked(progress, event.exercise, event.state, event.failed, at)
    elif isinstance(event, ParsonsEvent):
        _checked(progress, event.exercise, "passed" if event.right else "failed", event.failed, at)
    elif isinstance(event, HintEvent):
        exercise = _exercise(progress, event.exercise, at)
        exercise.hints = max(exercise.hints, event.number)
    elif isinstance(event, SolutionEvent):
        _exercise(progress, event.exercise, at).solution_seen = True
    elif isinstance(event, PredictionEvent):
        entry = progress.predictions.setdefault(event.id, PredictionProgress(at=at))
        entry.at = at
        entry.predicted = entry.predicted if event.predicted is None else event.predicted
        entry.observed = entry.observed if event.observed is None else event.observed
    elif isinstance(event, QuestionEvent):
        _answered(progress, event.id, event.right, at)
    elif isinstance(event, CardEvent):
        progress.cards[event.id] = turned(progress.cards.get(event.id), known=event.known, at=at)
    else:
        _handed_in(progress, event, at)


def _exercise(progress: Progress, exercise: str, at: datetime) -> ExerciseProgress:
    entry = progress.exercises.setdefault(exercise, ExerciseProgress(last_at=at))
    entry.last_at = at
    return entry


def _checked(progress: Progress, exercise: str, state: State, failed: list[str], at: datetime) -> None:
    entry = _exercise(progress, exercise, at)
    if state == "not_yet":
        return
    entry.attempts += 1
    entry.last_failed = failed
    if state == "passed":
        entry.first_passed_at = entry.first_passed_at or at
    entry.state = "passed" if entry.first_passed_at else "failed"
    progress.attempts.append(Attempt(at=at, exercise=exercise, state=state, failed=failed))
    del progress.attempts[:-NEWEST_ATTEMPTS]


def _answered(progress: Progress, question: str, right: bool, at: datetime) -> None:
    entry = progress.questions.setdefault(question, QuestionProgress(last_at=at))
    entry.answered += 1
    entry.right += right
    entry.last_right = right
    entry.last_at = at


def _handed_in(progress: Progress, event: ExamEvent, at: datetime) -> None:
    for question, right in event.answers.items():
        _answered(progress, question, right, at)
    wrong = [question for question, right in event.answers.items() if not right]
    total = len(event.answers)
    progress.exams.append(ExamProgress(at=at, right=total - len(wrong), total=total, wrong=wrong))
    del progress.exams[:-NEWEST_EXAMS]
