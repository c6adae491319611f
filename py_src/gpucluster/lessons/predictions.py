"""Predict first, then run, then compare."""

import math
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeGuard

from .learner_progress import note
from .learner_progress.model import LARGEST_NUMBER
from .results import LESSON_MIME

_noted: dict[str, Any] = {}


@dataclass(frozen=True)
class Comparison:
    """A prediction beside what was observed."""

    question: str
    predicted: Any
    observed: Any
    unit: str

    def __repr__(self) -> str:
        seen = f"Observed: {_shown(self.observed)} {_unit(self.unit, self.observed)}".rstrip()
        if self.predicted is None:
            return f"{seen}. You made no prediction. Next time, predict first: surprises stick."
        guess = f"You predicted: {_shown(self.predicted)} {_unit(self.unit, self.predicted)}".rstrip()
        return f"{guess}. {seen}. {self._verdict()}".rstrip()

    def _verdict(self) -> str:
        numbers = all(
            isinstance(value, (int, float)) and not isinstance(value, bool) for value in (self.observed, self.predicted)
        )
        if not numbers:
            return "That is the same." if self.predicted == self.observed else "That is different. Can you explain why?"
        if self.predicted == self.observed:
            return "Exactly."
        if not self.predicted or not self.observed or (self.predicted > 0) != (self.observed > 0):
            return "That is different. Can you explain why?"
        ratio = float(self.predicted) / float(self.observed)
        if not ratio or not math.isfinite(ratio):  # one is nothing beside the other
            return "That is different. Can you explain why?"
        factor = ratio if ratio > 1 else 1 / ratio
        times = f"{factor:,.{0 if factor >= 10 else 1}f}".removesuffix(".0")
        if factor < 1.05:
            return "Very close."
        return f"Your guess is {times} × the real value." if ratio > 1 else f"The real value is {times} × your guess."

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        record = {
            "kind": "prediction",
            "question": self.question,
            "predicted": self.predicted,
            "observed": self.observed,
            "unit": self.unit,
        }
        return {"text/plain": repr(self), LESSON_MIME: record}


def predict(question: str, answer: Any) -> None:
    """Note what you expect, before you run the next cell.

    Parameters
    ----------
    question : str
        Name of the question, such as ``"06.a"``.
    answer : number, str or bool
        Your guess; ``...`` means that you have none yet.
    """
    answer = _plain(answer)
    if answer is None or answer is Ellipsis:
        _noted.pop(question, None)
        print("No prediction yet. Replace ... with your guess; a wrong guess teaches more than none.")
    elif not isinstance(answer, (int, float, str, bool)):
        print(f"Write a number or a word, not {repr(answer)[:80]}.")
    elif _is_too_large(answer):
        print("Write a number that is closer to zero: whole numbers go up to 2**63.")
    else:
        _noted[question] = answer
        note({"kind": "prediction", "id": question, "predicted": _short(answer)})
        print(f"Noted: {_shown(answer)}.")


def compare(question: str, observed: Any, unit: str = "") -> Comparison:
    """Put the prediction beside what came out.

    Parameters
    ----------
    question : str
        The name given to `predict`.
    observed : number, str or bool
        What the run showed.
    unit : str, optional
        Written after both numbers.
    """
    observed = _plain(observed)
    observed = _shown(observed) if _is_too_large(observed) else observed
    predicted = _noted.get(question)
    if isinstance(observed, (int, float, str)):
        note({"kind": "prediction", "id": question, "observed": _short(observed)})
    return Comparison(question, predicted, observed, unit)


def _plain(value: Any) -> Any:
    """Return a number of NumPy, CuPy or PyTorch as one of Python's; anything else as it is."""
    item = getattr(value, "item", None)
    if callable(item):
        with suppress(Exception):  # an array of many numbers has no one item
            return item()
    return value


def _is_too_large(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and abs(value) > LARGEST_NUMBER


def _short(value: Any) -> Any:
    return value[:400] if isinstance(value, str) else value


def _unit(unit: str, value: Any) -> str:
    """Return a unit as it stands after a number: one process, two processes. The panel does the same."""
    if value != 1 or isinstance(value, bool) or unit == "times" or not re.fullmatch("[a-z]{2,}s", unit):
        return unit
    return unit.removesuffix("es") if unit.endswith("sses") else re.sub("ies$", "y", unit).removesuffix("s")


def _shown(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if _is_too_large(value):
        return f"a number of about {int(value.bit_length() * math.log10(2)) + 1:,} digits"
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 1000 else f"{value:,.3g}"
