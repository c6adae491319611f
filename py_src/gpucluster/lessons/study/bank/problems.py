"""The Parsons problems that lesson authors write: ``parsons.json``."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, RootModel, StringConstraints, model_validator

from .items import ExerciseId, LineId, Markdown, Part, unique


class Line(Part):
    """One line of a Parsons problem."""

    id: LineId
    text: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    indent: int = Field(0, ge=0, le=8, description="Levels of indentation.")
    after: list[LineId] = Field(default_factory=list, description="Lines that must come before this one.")


class Distractor(Part):
    """A line that does not belong."""

    id: LineId
    text: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    why: Markdown


class Parsons(Part):
    """A Parsons problem: lines to be put in order."""

    id: ExerciseId
    title: Annotated[str, StringConstraints(min_length=1, max_length=120)]
    prompt: Markdown
    indent: bool = Field(False, description="Whether the learner sets the indentation too.")
    lines: list[Line] = Field(min_length=2, max_length=20)
    distractors: list[Distractor] = Field(default_factory=list, max_length=6)

    @model_validator(mode="after")
    def _an_order_exists(self) -> Self:
        names = [line.id for line in self.lines]
        unique([*names, *(line.id for line in self.distractors)])
        done: set[str] = set()
        for line in self.lines:
            if unknown := set(line.after) - set(names):
                raise ValueError(f"line {line.id!r} comes after {unknown.pop()!r}, which is no line")
        while left := [line for line in self.lines if line.id not in done]:
            ready = {line.id for line in left if set(line.after) <= done}
            if not ready:
                raise ValueError(f"no order respects 'after': see the lines {', '.join(line.id for line in left)}")
            done |= ready
        return self


class ParsonsFile(RootModel[list[Parsons]]):
    """The Parsons problems of one lesson: ``parsons.json``, a list."""

    @model_validator(mode="after")
    def _ids(self) -> Self:
        unique([problem.id for problem in self.root])
        return self
