"""``progress()``: show the learner's own progress."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from ...protocol.errors import GPUClusterError
from ..catalogue import Lesson, lessons
from ..learner_progress import Progress, due_cards, load, progress_file
from .bank.files import all_cards, all_questions
from .bank.items import Card, Question
from .output import StudyOutput, sentence


@dataclass(frozen=True)
class Row:
    """How far a learner is with one lesson: exercises passed, questions right, cards due, each of how many."""

    lesson: str
    title: str
    passed: int
    exercises: int
    right: int
    questions: int
    due: int
    cards: int


def progress() -> StudyOutput:
    """Show your own progress: exercises, questions, cards and exams."""
    try:
        own = load()
    except GPUClusterError as error:
        return sentence(error.message)
    questions, cards = all_questions(), all_cards()
    rows = [row_of(lesson, own, questions, cards) for lesson in lessons()]
    exams = [f"{exam.at.astimezone():%d %b %Y}: {exam.right} of {exam.total} right" for exam in own.exams[-3:]]
    last = f"Practice exams: {'; '.join(exams)}." if exams else "No practice exam yet."
    place = progress_file()
    where = f"Kept in {place}." if place.exists() else f"No progress yet. It will be saved in {place}."
    return StudyOutput({}, _html(rows, [last, where]), _text(rows, [last, where]))


def row_of(lesson: Lesson, own: Progress, questions: Iterable[Question], cards: Iterable[Card]) -> Row:
    """Return how far a learner is with one lesson, given the questions and cards of all lessons."""
    states = [own.exercises.get(exercise.id) for exercise in lesson.exercises]
    asked = [item.id for item in questions if item.id.startswith(f"{lesson.id}.") and not item.exam_only]
    shown = [card.id for card in cards if card.id.startswith(f"{lesson.id}.")]
    answers = [own.questions.get(name) for name in asked]
    return Row(
        lesson=lesson.id,
        title=lesson.title,
        passed=sum(state is not None and state.state == "passed" for state in states),
        exercises=len(states),
        right=sum(answer is not None and answer.last_right for answer in answers),
        questions=len(asked),
        due=len(due_cards(own, shown)),
        cards=len(shown),
    )


def _text(rows: list[Row], notes: list[str]) -> str:
    width = max((len(row.title) for row in rows), default=0)
    lines = [
        f"{row.lesson}  {row.title:<{width}}  exercises {row.passed}/{row.exercises}  "
        f"questions {row.right}/{row.questions}  cards due {row.due}/{row.cards}"
        for row in rows
    ]
    return "\n".join([*lines, *notes])


def _html(rows: list[Row], notes: list[str]) -> str:
    head = "".join(f'<th style="text-align:left">{name}</th>'
                   for name in ("Lesson", "Exercises passed", "Questions right", "Cards due"))  # fmt: skip
    body = "".join(_row_html(row) for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return table + "".join(f"<p>{escape(note)}</p>" for note in notes)


def _row_html(row: Row) -> str:
    counts = f"<td>{row.passed} of {row.exercises}</td><td>{row.right} of {row.questions}</td>"
    name = f'<td style="text-align:left">{escape(row.lesson)} {escape(row.title)}</td>'
    return f"<tr>{name}{counts}<td>{row.due} of {row.cards}</td></tr>"
