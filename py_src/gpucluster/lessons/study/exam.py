"""``exam()``: a practice exam drawn from the questions of all lessons."""

import random
import secrets
from collections.abc import Iterable

from ...protocol.plain_text import counted
from ..models import MOST_EXAM_QUESTIONS
from .bank.files import all_questions
from .bank.items import Question
from .output import StudyOutput, sentence
from .quiz import show_questions


def exam(seed: int | None = None, questions: int = 10, lessons: Iterable[str] | None = None) -> StudyOutput:
    """Show a practice exam: answer all questions, submit once, then see each result.

    Parameters
    ----------
    seed : int, optional
        Draws the same questions again. Left out: new ones each time.
    questions : int, optional
        How many.
    lessons : iterable of str, optional
        Numbers of the lessons to draw from, such as ``["03", "04"]``. Left out: all.
    """
    bank = all_questions()
    if seed is not None and type(seed) is not int:
        return sentence("The number of an exam must be a whole number, such as `exam(4711)`.")
    if lessons is not None:
        chosen = [lessons] if isinstance(lessons, str) else [*lessons] if isinstance(lessons, Iterable) else [lessons]
        if not all(isinstance(one, str) for one in chosen):
            return sentence('Name the lessons by their numbers as text, such as `exam(lessons=["03", "04"])`.')
        bank = [question for question in bank if question.id.partition(".")[0] in chosen]
    if not bank:
        return sentence("These lessons have no questions yet.")
    things = len({concept_of(question) for question in bank})
    most = min(things, MOST_EXAM_QUESTIONS)
    if type(questions) is not int or not 1 <= questions <= most:
        alike = f", some of which ask the same: {things} different ones" if things < len(bank) else ""
        are, wanted = "is" if len(bank) == 1 else "are", "1" if most == 1 else f"1 to {most}"
        return sentence(f"There {are} {counted(len(bank), 'question')} to draw from{alike}: ask for {wanted}.")
    seed = secrets.randbelow(9_000) + 1_000 if seed is None else seed
    drawn = draw(bank, seed, questions)
    return show_questions(f"exam-{seed}", f"Practice exam {seed}", drawn, mode="exam")


def concept_of(question: Question) -> str:
    """Return the one thing that a question asks."""
    return question.concept or question.id


def draw(bank: list[Question], seed: int, number: int) -> list[Question]:
    """Draw questions: lesson by lesson in turn, those kept for the exam first, no topic twice while others are left.

    No concept is drawn twice; where there are fewer concepts than wanted, there are fewer questions.
    """
    chance = random.Random(seed)  # noqa: S311 -- the same seed is to give the same exam
    by_lesson: dict[str, list[Question]] = {}
    for question in bank:
        by_lesson.setdefault(question.id.partition(".")[0], []).append(question)
    order = list(by_lesson.values())
    chance.shuffle(order)
    for questions in order:
        chance.shuffle(questions)
    drawn: list[Question] = []
    asked: set[str] = set()
    while len(drawn) < number and any(order):
        for questions in order:
            if not questions or len(drawn) == number:
                continue
            best = min(questions, key=lambda question: (not question.exam_only, question.topic in asked))
            asked.add(best.topic)
            drawn.append(best)
            for others in order:
                others[:] = [other for other in others if concept_of(other) != concept_of(best)]
    chance.shuffle(drawn)
    return drawn
