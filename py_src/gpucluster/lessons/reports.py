"""Figures of a run, in one line and as a record."""

from __future__ import annotations

from typing import Any

from .results import LESSON_MIME


class Report:
    """Figures of a run, shown in one line and kept as a record."""

    def __init__(self, lesson: str, figures: dict[str, Any]) -> None:
        self.lesson = lesson
        self.figures = {key: value.item() if hasattr(value, "item") else value for key, value in figures.items()}

    def __repr__(self) -> str:
        return " · ".join(f"{key} {_figure(value)}" for key, value in self.figures.items())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        record = {"kind": "report", "lesson": self.lesson, "figures": self.figures}
        return {"text/plain": repr(self), LESSON_MIME: record}


def _figure(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4f}" if abs(value) >= 10 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
