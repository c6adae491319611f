"""``quiz("03")``: the questions of one lesson, each as data for the panel, as HTML, and as text."""

from collections.abc import Sequence
from typing import Any

from ...protocol.errors import GPUClusterError
from ..catalogue import find_lesson
from .bank.files import questions_of
from .bank.items import ChoiceQuestion, NumberQuestion, Option, Question, SeveralQuestion
from .output import StudyOutput, code_block, details, html_of, inline, items, sentence
from .scrambling import hashed, locked, number_keys, plain_text, salt_of, shuffled, step_of


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


def options_of(question: Question) -> dict[str, Option]:
    """Return the options by letter, in an order that says nothing about which is right."""
    if not isinstance(question, (ChoiceQuestion, SeveralQuestion)):
        return {}
    by_text = {option.text: option for option in question.options}
    order = shuffled(salt_of(question.id), list(by_text))
    return {chr(ord("a") + place): by_text[text] for place, text in enumerate(order)}


def question_record(question: Question) -> dict[str, Any]:
    """Return what the panel needs to ask the question and to judge an answer."""
    salt, options = salt_of(question.id), options_of(question)
    number = question if isinstance(question, NumberQuestion) else None
    return {
        "id": question.id,
        "type": question.type,
        "topic": question.topic,
        "lesson": question.id.partition(".")[0],
        "link": question.link,
        "stem": question.stem,
        "code": question.code,
        "unit": number.unit if number else None,
        "options": [{"id": letter, "text": option.text} for letter, option in options.items()],
        "salt": salt,
        "answers": [hashed(salt, answer) for answer in _right_answers(question, options)],
        "step": step_of(number.answer, number.tolerance) if number else None,
        "feedback": {letter: locked(salt, letter, option.why) for letter, option in options.items() if option.why},
        "explanation": locked(salt, "explanation", question.explanation) if question.explanation else None,
    }


def question_html(question: Question, number: int, *, with_answer: bool) -> str:
    """Return the question, with its answer behind a click where it is wanted."""
    options = options_of(question)
    code = code_block(question.code.strip("\n")) if question.code else ""
    listed = items([inline(option.text) for option in options.values()], kind="A") if options else ""
    answer = details("Answer", answer_html(question)) if with_answer else ""
    return f"<section><p><strong>Question {number}</strong></p>{html_of(question.stem)}{code}{listed}{answer}</section>"


def question_text(question: Question, number: int) -> str:
    """Return the question as text, without its answer."""
    code = "\n" + "\n".join(f"    {line}" for line in question.code.splitlines()) if question.code else ""
    listed = "".join(f"\n   {letter.upper()}) {option.text}" for letter, option in options_of(question).items())
    return f"{number}. {question.stem}{code}{listed}"


def answer_html(question: Question) -> str:
    """Return the right answer and the reasons."""
    options = options_of(question)
    explanation = html_of(question.explanation) if question.explanation else ""
    if isinstance(question, (ChoiceQuestion, SeveralQuestion)):
        entries = [
            f"<strong>{letter.upper()}</strong> is {'right' if option.correct else 'wrong'}. {inline(option.why)}"
            for letter, option in options.items()
        ]
        return items(entries) + explanation
    if isinstance(question, NumberQuestion):
        unit = f" {question.unit}" if question.unit else ""
        margin = f" (± {question.tolerance:g})" if question.tolerance else ""
        return f"<p><strong>{question.answer:g}{inline(unit)}</strong>{margin}</p>{explanation}"
    return f"<p><strong>{' or '.join(inline(answer) for answer in question.answers)}</strong></p>{explanation}"


def _right_answers(question: Question, options: dict[str, Option]) -> list[str]:
    if isinstance(question, (ChoiceQuestion, SeveralQuestion)):
        return [",".join(letter for letter, option in options.items() if option.correct)]
    if isinstance(question, NumberQuestion):
        return number_keys(question.answer, question.tolerance)
    return sorted({plain_text(answer) for answer in question.answers})
