"""Questions in the format of jupyterquiz and cards in the format of jupytercards, as ours.

What has no counterpart here is not dropped in silence: each conversion comes with notes for the author.
"""

import math
import sys
from collections.abc import Mapping
from typing import Any

from ....protocol.errors import GPUClusterError

Item = Mapping[str, Any]
"""A question, an answer or a card as the other tools write it."""

Plain = dict[str, Any]
"""The fields of ours."""

_NO_REASON = "This option is incorrect."


class UnknownFormat(GPUClusterError):
    """The file is neither jupyterquiz's nor jupytercards'."""

    code = "unknown_format"
    http_status = 422
    exit_code = 2


def question_from(item: Item, place: str) -> tuple[Plain, list[str]]:
    """Convert one jupyterquiz question; return its fields and notes.

    Parameters
    ----------
    item : mapping
        The question.
    place : str
        How to name it in sentences, such as ``"question 3"``.
    """
    kinds = {"multiple_choice": _choice, "many_choice": _several, "numeric": _number, "string": _text}
    convert = kinds.get(str(item.get("type")))
    answers = item.get("answers")
    if convert is None or not isinstance(answers, list) or not all(isinstance(answer, Mapping) for answer in answers):
        raise UnknownFormat(
            f"{place} has the type {str(item.get('type'))!r:.40}. Known types of jupyterquiz: {', '.join(kinds)}, "
            "each with a list of answers."
        )
    fields, notes = convert(item, answers)
    fields["stem"] = str(item.get("question") or "").strip() or "What is right?"
    if isinstance(item.get("code"), str) and item["code"].strip():
        fields["code"] = item["code"]
    return fields, [f"{place}: {note}" for note in notes]


def card_from(item: Item, place: str) -> tuple[Plain, list[str]]:
    """Convert one jupytercards card; return its fields and notes."""
    front, back = item.get("front"), item.get("back")
    if not (isinstance(front, str) and front.strip() and isinstance(back, str) and back.strip()):
        raise UnknownFormat(f"{place} needs a front and a back.")
    fields: Plain = {"front": front.strip(), "back": back.strip()}
    if isinstance(item.get("topic"), str) and item["topic"].strip():
        fields["topic"] = item["topic"]
    notes = [f"{place}: has HTML; write it as Markdown."] if "<" in front + back and ">" in front + back else []
    return fields, notes


def _choice(_item: Item, answers: list[Item]) -> tuple[Plain, list[str]]:
    options, notes = _options(answers)
    right = sum(option["correct"] for option in options)
    if right > 1:
        notes.append("has several right options, of which one was enough; now all must be selected.")
    return {"type": "choice" if right <= 1 else "several", "options": options}, notes


def _several(_item: Item, answers: list[Item]) -> tuple[Plain, list[str]]:
    options, notes = _options(answers)
    return {"type": "several", "options": options}, notes


def _options(answers: list[Item]) -> tuple[list[Plain], list[str]]:
    options, notes = [], []
    for answer in answers:
        text = str(answer.get("answer") or "").strip()
        if isinstance(answer.get("code"), str):
            text = " ".join(filter(None, [text, f"`{answer['code'].strip()}`"]))
        correct, why = answer.get("correct") is True, str(answer.get("feedback") or "").strip()
        if not correct and not why:
            why = _NO_REASON
            notes.append(f"say why {text!r:.60} is wrong.")
        options.append({"text": text, "correct": correct, "why": why})
    return options, notes


def _number(item: Item, answers: list[Item]) -> tuple[Plain, list[str]]:
    right = [answer for answer in answers if answer.get("correct") is True]
    values = [answer for answer in right if _is_number(answer.get("value"))]
    ranges = [answer for answer in right if _is_range(answer.get("range"))]
    if not (values or ranges):
        raise UnknownFormat("A numeric question of jupyterquiz needs a right value or a right range.")
    chosen = (values or ranges)[0]
    if values:
        fields = {"answer": chosen["value"], "tolerance": _tolerance(chosen["value"], item.get("precision"))}
    else:
        low, high = chosen["range"]
        fields = {"answer": (low + high) / 2, "tolerance": abs(high - low) / 2}
    notes = ["only the first right value or range was kept."] if len(right) > 1 else []
    if any(answer.get("feedback") for answer in answers if answer is not chosen):
        notes.append("feedback on wrong numbers was dropped; add it to the explanation.")
    return {"type": "number", **fields, "explanation": _explanation(chosen, answers)}, notes


def _text(_item: Item, answers: list[Item]) -> tuple[Plain, list[str]]:
    right = [answer for answer in answers if answer.get("correct") is True and str(answer.get("answer") or "").strip()]
    if not right:
        raise UnknownFormat("A string question of jupyterquiz needs a right answer.")
    notes = []
    if any(answer.get("match_case") for answer in right):
        notes.append("upper and lower case no longer count.")
    if any(answer.get("fuzzy_threshold") for answer in right):
        notes.append("similar spellings no longer count; list those that are to count as answers.")
    if any(answer.get("feedback") for answer in answers if answer not in right):
        notes.append("feedback on wrong answers was dropped; add it to the explanation.")
    texts = list(dict.fromkeys(str(answer["answer"]).strip() for answer in right))
    return {"type": "text", "answers": texts, "explanation": _explanation(right[0], answers)}, notes


def _explanation(right: Item, answers: list[Item]) -> str:
    default = next((answer.get("feedback") for answer in answers if answer.get("type") == "default"), None)
    return str(right.get("feedback") or default or "See the lesson.").strip()


def _tolerance(value: float, precision: Any) -> float:
    """Return half a unit of the last significant digit that jupyterquiz would compare."""
    if type(precision) is not int or precision < 1 or value == 0:
        return 0.0
    return float(f"{0.5 * 10.0 ** (math.floor(math.log10(abs(value))) - precision + 1):.6g}")


def _is_number(value: Any) -> bool:
    # No more than a float can be: a whole number in JSON may have thousands of digits.
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _is_range(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(_is_number(end) for end in value)
