"""The file that a learner shares: numbers, and which properties the last check found missing. No code, no answers."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

SHARED_VERSION: Final = 1
NAME_LENGTH = 60


def _printable(text: str) -> str:
    # Control characters could move the cursor of a terminal; direction marks could turn a line round.
    if not text.isprintable():
        raise ValueError("has characters that cannot be printed")
    return text


_Text = Annotated[str, Field(max_length=400), AfterValidator(_printable)]
_Name = Annotated[str, Field(min_length=1, max_length=NAME_LENGTH), AfterValidator(_printable)]
_Count = Annotated[int, Field(ge=0, le=1_000_000)]
_Exercise = Annotated[str, Field(pattern=r"^\d\d\.\d{1,2}$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SharedExercise(_Part):
    """One exercise of one learner."""

    state: Literal["not_yet", "failed", "passed"]
    attempts: _Count
    hints: int = Field(ge=0, le=3)
    solution_seen: bool
    last_at: AwareDatetime
    failed: list[_Text] = Field(default_factory=list, max_length=20)


class SharedProgress(_Part):
    """What one learner lets the class see."""

    kind: Literal["gpucluster-shared-progress"] = "gpucluster-shared-progress"
    schema_version: Literal[1] = SHARED_VERSION
    name: _Name
    updated_at: AwareDatetime
    exercises: dict[_Exercise, SharedExercise] = Field(max_length=500)
    questions_answered: _Count = 0
    questions_right: _Count = 0
