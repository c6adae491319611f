"""What grading gives, and the limits that it keeps."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Place = Literal["outside", "inside"]
"""Where the check runs: in the grader's process, or, where that cannot be, in the learner's kernel."""

Status = Literal["graded", "time", "memory", "processes", "stopped", "unreadable"]

_PART_OF_A_CELL = 0.4


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Limits(_Part):
    """What one notebook may use.

    Attributes
    ----------
    seconds : float
        For the whole notebook, its checks included.
    cell_seconds : float
        For one cell, or one check. Left out: 120, or, where that is more, two fifths of the whole.
    memory_bytes : int
        For the kernel and the workers that it starts, together.
    processes : int
        For the same.
    """

    seconds: float = 300
    cell_seconds: float = 120
    memory_bytes: int = 3 * 2**30
    processes: int = 100

    @model_validator(mode="after")
    def _more_for_a_cell(self) -> Self:
        if "cell_seconds" not in self.model_fields_set:
            self.cell_seconds = max(self.cell_seconds, _PART_OF_A_CELL * self.seconds)
        return self


class Property(_Part):
    """One property that an answer must have."""

    expected: str = Field(max_length=2_000)
    passed: bool
    observed: str = Field(max_length=4_000)


class ExerciseGrade(_Part):
    """What one exercise got.

    Attributes
    ----------
    seconds : float
        How long its check took, or, where that took longer, one of its cells.
    """

    id: str = Field(max_length=20)
    title: str = Field("", max_length=300)
    points: float = Field(0, ge=0)
    of: float = Field(1, ge=0)
    state: Literal["passed", "failed", "not_yet", "not_reached", "tampered", "ungraded"] = "not_reached"
    place: Place = "outside"
    findings: list[Property] = Field(default_factory=list, max_length=200)
    message: str = Field("", max_length=2_000)
    seconds: float = 0


class NotebookGrade(_Part):
    """What one notebook got.

    Attributes
    ----------
    seconds : float
        How long all of it took.
    longest_seconds : float
        How long the slowest of its cells and checks took.
    """

    learner: str
    lesson: str
    file: str
    status: Status = "graded"
    points: float = 0
    of: float = 0
    exercises: list[ExerciseGrade] = Field(default_factory=list, max_length=200)
    notes: list[str] = Field(default_factory=list, max_length=50)
    seconds: float = 0
    longest_seconds: float = 0
    peak_bytes: int = 0


class Grades(_Part):
    """What a class got."""

    graded_at: str
    version: str
    seed: int
    limits: Limits
    submissions: list[NotebookGrade]
    notes: list[str] = Field(default_factory=list)
