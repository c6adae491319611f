"""One question as data for the panel, as HTML, and as text."""

from __future__ import annotations

from typing import Any

from .fallback import code_block, details, html_of, inline, items
from .model import ChoiceQuestion, NumberQuestion, Option, Question, SeveralQuestion
from .scrambling import hashed, locked, number_keys, plain_text, salt_of, shuffled, step_of


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
