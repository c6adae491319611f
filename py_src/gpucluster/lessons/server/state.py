"""From the progress file to what the panel shows: the state of each exercise, and what to do next."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import TypeVar

from ...protocol.errors import FieldError, InvalidRequest
from ..catalogue import Lesson
from ..learner_progress import Progress, due_cards
from ..learner_progress.events import EVENT, Event
from ..models import (
    CardTurned,
    ExamHandedIn,
    LessonEvent,
    LessonExercise,
    LessonModel,
    LessonStep,
    QuestionAnswered,
    Tally,
)
from ..study.advice import weak_topics
from ..study.bank.files import (
    NothingToStudy,
    StudyFileError,
    all_cards,
    all_problems,
    all_questions,
    cards_of,
    questions_of,
)

Item = TypeVar("Item")


@dataclass(frozen=True)
class Bank:
    """Ids of the practice questions and of the cards of one lesson."""

    questions: tuple[str, ...]
    cards: tuple[str, ...]

    def due(self, progress: Progress, today: date) -> Tally:
        """Return how many cards are due, of how many."""
        return Tally(done=len(due_cards(progress, self.cards, today)), total=len(self.cards))


def bank_of(lesson: Lesson) -> Bank:
    """Read which questions and cards a lesson has; a lesson may have none."""
    return Bank(
        tuple(question.id for question in _those(questions_of, lesson) if not question.exam_only),
        tuple(card.id for card in _those(cards_of, lesson)),
    )


def tally_of(bank: Bank, progress: Progress) -> Tally:
    """Return how many practice questions were answered right the last time."""
    known = [progress.questions.get(question) for question in bank.questions]
    return Tally(done=sum(one is not None and one.last_right for one in known), total=len(known))


def exercises_of(lesson: Lesson, progress: Progress) -> list[LessonExercise]:
    """Return the exercises of a lesson as far as the learner is."""
    shown = []
    for exercise in lesson.exercises:
        known = progress.exercises.get(exercise.id)
        shown.append(
            LessonExercise(
                id=exercise.id,
                title=exercise.title,
                state="new" if known is None else known.state,
                attempts=known.attempts if known else 0,
                hints=known.hints if known else 0,
                solution_seen=bool(known and known.solution_seen),
            )
        )
    return shown


def next_step(shown: list[LessonModel], progress: Progress) -> LessonStep | None:
    """Return what to do next: go on where the learner was, else the first lesson that is not done."""
    if not shown:
        return None
    if not progress.exercises and not progress.questions and not progress.predictions:
        return LessonStep(title=shown[0].title, why=f"Begin with lesson {shown[0].id}.", link=shown[0].id)
    last = max(progress.exercises.items(), key=lambda entry: entry[1].last_at, default=("", None))[0].partition(".")[0]
    at = next((number for number, lesson in enumerate(shown) if lesson.id == last), 0)
    for lesson in [*shown[at:], *shown[:at]]:
        for exercise in lesson.exercises:
            if exercise.state == "passed":
                continue
            known = progress.exercises.get(exercise.id)
            why = f"It comes next in lesson {lesson.id}."
            if known is not None and known.last_failed:
                why = f"Its last check failed: {known.last_failed[0]}."
            return LessonStep(title=exercise.title, why=why, link=exercise.id, exercise=exercise.id)
    return None


def advice_for(progress: Progress) -> list[LessonStep]:
    """Return the topics that are weak, the weakest first."""
    try:
        found = weak_topics(progress)
    except StudyFileError:
        return []
    return [
        LessonStep(
            title=one.title, why=one.why, link=one.link, topic=one.topic, cards=list(one.cards), exercise=one.exercise
        )
        for one in found
    ]


def check_known(events: list[LessonEvent]) -> None:
    """Reject events with ids that no lesson has, so that progress cannot be inflated.

    Raises
    ------
    InvalidRequest
        Names the first id that does not exist.
    """
    questions = {question.id for question in all_questions()}
    cards = {card.id for card in all_cards()}
    problems = {problem.id for problem in all_problems()}
    for place, event in enumerate(events):
        if isinstance(event, ExamHandedIn):
            ids, known, field, what = list(event.answers), questions, "answers", "question"
        elif isinstance(event, QuestionAnswered):
            ids, known, field, what = [event.id], questions, "id", "question"
        elif isinstance(event, CardTurned):
            ids, known, field, what = [event.id], cards, "id", "card"
        else:
            ids, known, field, what = [event.exercise], problems, "exercise", "Parsons problem"
        unknown = next((id for id in ids if id not in known), None)
        if unknown is not None:
            message = f"no lesson has the {what} {unknown}"
            fields = [FieldError(field=f"events.{place}.{event.kind}.{field}", message=message)]
            raise InvalidRequest(f"{message[0].upper()}{message[1:]}.", fields=fields)


def recordable(event: LessonEvent) -> Event:
    """Return a page's event as the progress file knows it."""
    return EVENT.validate_python(event.model_dump())


def _those(read: Callable[[str], list[Item]], lesson: Lesson) -> list[Item]:
    try:
        return read(lesson.id)
    except (NothingToStudy, StudyFileError):
        # The build reports it to the author; a learner can do without.
        return []
