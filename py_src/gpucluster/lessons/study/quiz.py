"""``quiz("03")``: the questions of one lesson."""

from __future__ import annotations

from collections.abc import Sequence

from ...protocol.errors import GPUClusterError
from ..catalogue import find_lesson
from .fallback import details, inline
from .files import questions_of
from .model import Question
from .output import StudyOutput, sentence
from .questions import answer_html, question_html, question_record, question_text


def quiz(lesson: str) -> StudyOutput:
    """Show the questions of a lesson.

    In JupyterLab with gpucluster each answer is judged at once and noted in your progress. Everywhere else the
    answers open with a click.

    Parameters
    ----------
    lesson : str
        Number of the lesson, such as ``"03"``.
    """
    try:
        asked = [question for question in questions_of(lesson) if not question.exam_only]
    except GPUClusterError as error:
        return sentence(error.message)
    known = find_lesson(lesson)
    title = f"Quiz: {known.title}" if known else f"Quiz of lesson {lesson}"
    return show_questions(lesson, title, asked, mode="practice")


def show_questions(name: str, title: str, asked: Sequence[Question], *, mode: str) -> StudyOutput:
    """Return questions as an output; in the mode ``"exam"`` they are judged together at the end."""
    record = {
        "kind": "quiz",
        "schema_version": 1,
        "id": name,
        "title": title,
        "mode": mode,
        "questions": [question_record(question) for question in asked],
    }
    numbered = list(enumerate(asked, start=1))
    exam = mode == "exam"
    parts = [question_html(question, number, with_answer=not exam) for number, question in numbered]
    if exam:
        answers = "".join(
            f"<p><strong>Question {number}</strong></p>{answer_html(question)}" for number, question in numbered
        )
        parts.append(details("All answers", answers))
    text = "\n\n".join([title, *(question_text(question, number) for number, question in numbered)])
    return StudyOutput(record, f"<h3>{inline(title)}</h3>{''.join(parts)}", text)
