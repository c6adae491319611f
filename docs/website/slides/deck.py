"""A lesson as slides: headings, lists, formulas, code and what it puts out; questions for the class; notes to speak."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpucluster.lessons.building.notebooks import cell_ids
from gpucluster.lessons.building.outputs import Output, RecordedOutputs
from gpucluster.lessons.building.source import LessonSource, SourceCell

from ..lessons import drawn
from ..pages import REPOSITORY
from .condense import condensed

_FENCE = "`````"
_LINES = 13
"""Lines of code, or of what it puts out, that can be read from the last row."""
_ROOM = 640
"""Pixels that a slide of 720 has below its title."""
_QUESTIONS = 3
_ASIDE = {"quiz", "cards"}


@dataclass
class _Slide:
    title: str
    level: int
    parts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def markdown(self) -> str:
        spoken = "\n\n".join(self.notes)
        notes = [f"{_FENCE}``{{revealjs-notes}}", spoken, f"{_FENCE}``"] if spoken else []
        return "\n\n".join([f"{'#' * self.level} {self.title}", *self.parts, "\n".join(notes)]).rstrip()


@dataclass
class Deck:
    """The slides of one lesson.

    Attributes
    ----------
    pictures : list
        Names of the files of outputs that they show.
    """

    source: LessonSource
    outputs: RecordedOutputs
    questions: Path
    pictures: list[str] = field(default_factory=list)
    _slides: list[_Slide] = field(default_factory=list)

    def markdown(self) -> str:
        """Return the deck as a page for Sphinx."""
        self._first()
        for cell, name in zip(self.source.cells, cell_ids(self.source), strict=True):
            self._add(cell, name)
        self._hands_up()
        self._last()
        header = '---\nmyst:\n  enable_extensions: ["dollarmath", "html_image"]\n---\n'
        return "\n\n".join(
            [header, *(slide.markdown() for slide in self._slides if slide.parts or slide.level < 3), ""]
        )

    def _first(self) -> None:
        source = self.source
        title = _Slide(f"{source.id} · {source.title}", 1, [f"{source.minutes} minutes"])
        if source.objectives:
            title.parts.append("\n".join(["Afterwards you can", "", *(f"* {one}" for one in source.objectives)]))
        title.notes.append(
            f"Learners open it by `gpucluster lessons open {source.id}`. Keys: S for these notes, ? for all others."
        )
        self._slides.append(title)

    def _add(self, cell: SourceCell, name: str) -> None:
        if not _ASIDE.isdisjoint(cell.tags) or "lessons.start(" in cell.text or "lab.close()" in cell.text:
            return
        slide = self._slides[-1]
        if cell.hint:
            slide.notes.append(f"**Hint {cell.hint}.** {cell.text}")
        elif "instructor" in cell.tags:
            slide.notes.append(cell.text if cell.type != "code" else _code(cell.text))
        elif cell.type != "code":
            self._prose(cell)
        elif {"check", "predict"}.isdisjoint(cell.tags) and not _only_imports(cell.text):
            self._code(cell, name)

    def _prose(self, cell: SourceCell) -> None:
        found = condensed(cell.text)
        if found.level == 1 or (not found.heading and len(self._slides) == 1):
            self._slides[0].notes.append(cell.text.partition("\n")[2].strip() if found.level else cell.text)
            return
        if found.heading:
            self._slides.append(_Slide(found.heading, 2 if found.level == 2 else 3))
        for block in found.seen:
            self._put(block)
        self._slides[-1].notes += found.spoken

    def _code(self, cell: SourceCell, name: str) -> None:
        task = "exercise" in cell.tags
        text = cell.learner_text() if task else cell.text
        outputs = [] if task else list(self.outputs.of(name, cell.solution_text()) or ())
        pictures = [one for one in outputs if one.picture or one.drawing]
        if not pictures:
            self._put(_code(text))
        else:
            self._slides[-1].notes.append(_code(text))
        for one in outputs:
            self._put(self._output(one))

    def _output(self, output: Output) -> str:
        if output.drawing:
            return drawn(self.outputs, output.drawing)
        if output.picture:
            self.pictures.append(output.picture)
            return f"![What the cell draws](outputs/{self.source.slug}/{output.picture})"
        return f"{_FENCE}{{code-block}} text\n:class: output\n\n{_shortened(output.text)}\n{_FENCE}"

    def _put(self, part: str) -> None:
        """Put a block on the last slide, or on one more with the same title where that is full."""
        slide = self._slides[-1]
        if slide.level == 1:
            slide = _Slide(self.source.title, 2)
            self._slides.append(slide)
        if slide.parts and sum(map(_height, slide.parts)) + _height(part) > _ROOM:
            slide = _Slide(slide.title, 3)
            self._slides.append(slide)
        slide.parts.append(part)

    def _hands_up(self) -> None:
        """Add questions for all: who takes which answer? Those of the exam are not among them."""
        questions = json.loads(self.questions.read_text(encoding="utf-8"))["questions"]
        chosen = [one for one in questions if one["type"] == "choice" and not one["exam_only"]][:_QUESTIONS]
        for number, one in enumerate(chosen):
            slide = _Slide("Hands up", 2 if number == 0 else 3, [one["stem"]])
            if one.get("code"):
                slide.parts.append(_code(one["code"]))
            slide.parts.append(
                "\n".join(f"* **{_letter(place)}** {o['text']}" for place, o in enumerate(one["options"]))
            )
            slide.notes += [_answer(place, option) for place, option in enumerate(one["options"])]
            self._slides.append(slide)

    def _last(self) -> None:
        page = f"{REPOSITORY}/tree/main/notebooks/{self.source.slug}"
        opening = f"`gpucluster lessons open {self.source.id}`"
        self._slides.append(_Slide("Now you", 2, [opening, f"[The notebook and its solution]({page})"]))


def _letter(place: int) -> str:
    return "ABCDEF"[place]


def _answer(place: int, option: dict[str, Any]) -> str:
    mark = "**right**: " if option.get("correct") else ""
    return f"{_letter(place)}: {mark}{option['why']}"


def _only_imports(text: str) -> bool:
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    try:
        return all(isinstance(one, (ast.Import, ast.ImportFrom)) for one in ast.parse(lines).body)
    except SyntaxError:
        return False


def _code(text: str) -> str:
    return f"{_FENCE}python\n{_shortened(text)}\n{_FENCE}"


def _shortened(text: str) -> str:
    lines = text.strip("\n").splitlines()
    return "\n".join(lines if len(lines) <= _LINES else [*lines[: _LINES - 1], "…"])


def _height(part: str) -> int:
    """Return about how many pixels of a slide a block takes."""
    if part.startswith("![") or '<div class="drawing">' in part:
        return 480
    if part.startswith(_FENCE):
        return 44 + 24 * sum(1 + len(line) // 110 for line in part.splitlines()[1:-1])
    return 16 + sum(38 * (1 + len(line) // 85) for line in part.splitlines() if line.strip())
