"""What a check found, and figures of a run: as text, as HTML without scripts, and as a record for programs."""

import re
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from html import escape
from typing import Any

from .hints import hint_counts

LESSON_MIME = "application/vnd.gpucluster.lesson.v1+json"
"""MIME type of every record that a lesson leaves in a notebook."""


class State(StrEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_YET = "not_yet"
    UNAVAILABLE = "unavailable"


_HEADLINES = {
    State.PASSED: ("✓", "passed", "--jp-success-color1, #2e7d32"),
    State.FAILED: ("✗", "not correct yet", "--jp-error-color1, #c62828"),
    State.NOT_YET: ("…", "not yet", "--jp-warn-color1, #b26a00"),
    State.UNAVAILABLE: ("!", "could not be checked", "--jp-warn-color1, #b26a00"),
}


_WITHOUT_ERROR = "without an error"
_NAMED = r"[A-Za-z_]\w{0,60}(?:Error|Exception|Warning|Interrupt|Exit)\b"
_FIRST = re.compile(r"\w{1,60}(?=:|$)")
_ANYWHERE = re.compile(rf"\b{_NAMED}")


def failure(expected: str, observed: str) -> str:
    """Return in a few words what does not hold: the property, and of an error, which one it was."""
    if expected.endswith(_WITHOUT_ERROR):
        found = _ANYWHERE.search(observed) or _FIRST.match(observed)
    else:
        found = re.match(_NAMED, observed)
    return f"{expected}: {found[0]}" if found else expected


@dataclass(frozen=True)
class Finding:
    """One property of an answer.

    Attributes
    ----------
    expected : str
        The property, in plain words; never the answer.
    passed : bool
        Whether it holds.
    observed : str
        What was seen instead, or to confirm it; empty where nothing needs to be said.
    """

    expected: str
    passed: bool
    observed: str

    @property
    def failure(self) -> str:
        """What does not hold, with the name of the error where there was one."""
        return failure(self.expected, self.observed)


@dataclass(frozen=True)
class CheckResult:
    """Outcome of one call of ``check``."""

    exercise: str
    title: str
    state: State
    findings: tuple[Finding, ...] = ()
    message: str = ""
    next_step: str = ""
    seed: int | None = field(default=None)

    @property
    def passed(self) -> bool:
        """Whether every property holds."""
        return self.state is State.PASSED

    def record(self) -> dict[str, Any]:
        """Return the result as plain JSON data."""
        total, seen = hint_counts(self.exercise)
        return {
            "kind": "check", **asdict(self), "state": self.state.value, "n_hints": total, "n_hints_seen": seen,
        }  # fmt: skip

    def __repr__(self) -> str:
        sign, words, _ = _HEADLINES[self.state]
        lines = [f"{sign} {self.exercise} {self.title}: {words}"]
        lines += [self.message] if self.message else []
        for finding in self.findings:
            lines.append(f"  {'✓' if finding.passed else '✗'} expected: {finding.expected}")
            lines += [f"    observed: {finding.observed}"] if finding.observed else []
        lines += [self.next_step] if self.next_step else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        sign, words, colour = _HEADLINES[self.state]
        rows = "".join(
            "<tr>"
            f'<td style="text-align:left">{"✓" if finding.passed else "✗"} '
            f'<span style="position:absolute;clip-path:inset(50%)">{"holds" if finding.passed else "fails"}</span></td>'
            f'<td style="text-align:left">{escape(finding.expected)}</td>'
            f'<td style="text-align:left">{escape(finding.observed)}</td></tr>'
            for finding in self.findings
        )
        table = (
            '<table><thead><tr><th></th><th style="text-align:left">Expected</th>'
            f'<th style="text-align:left">Observed</th></tr></thead><tbody>{rows}</tbody></table>'
            if rows
            else ""
        )
        notes = "".join(f"<p>{_code(text)}</p>" for text in (self.message, self.next_step) if text)
        return (
            f'<div style="border-left:4px solid var({colour});padding:2px 12px">'
            f"<p><strong>{sign} {escape(self.exercise)} {escape(self.title)}: {words}</strong></p>{table}{notes}</div>"
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"text/plain": repr(self), "text/html": self._repr_html_(), LESSON_MIME: self.record()}


def _code(text: str) -> str:
    """Escape a sentence and set what stands between backticks as code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts))


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
