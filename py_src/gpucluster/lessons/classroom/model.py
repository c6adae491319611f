"""The file that a learner shares: numbers, and which properties the last check found missing. No code, no answers."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

SHARED_VERSION: Final = 1
NAME_LENGTH = 60
MOST_EXERCISES = 500
LARGEST_COUNT = 1_000_000


def _printable(text: str) -> str:
    # Control characters could move the cursor of a terminal; direction marks could turn a line round.
    if not text.isprintable():
        raise ValueError("has characters that cannot be printed")
    return text


_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159")
"""Characters that count as printable and show nothing."""


def check_name(text: str) -> str:
    """Return a name; raise a sentence unless it can be seen and told from others.

    Raises
    ------
    ValueError
        Says what is wrong.
    """
    _printable(text)
    if _BLANK & set(text) or not any(unicodedata.category(character)[0] in "LNPS" for character in text):
        raise ValueError("has nothing to see, or characters that show nothing")
    if "/" in text:
        raise ValueError("must have no '/'")
    return text


_Text = Annotated[str, Field(max_length=400), AfterValidator(_printable)]
_Name = Annotated[str, Field(min_length=1, max_length=NAME_LENGTH), AfterValidator(check_name)]
_Count = Annotated[int, Field(ge=0, le=LARGEST_COUNT)]
_Exercise = Annotated[str, Field(pattern=r"^[0-9]{2}\.[0-9]{1,2}$")]


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
    exercises: dict[_Exercise, SharedExercise] = Field(max_length=MOST_EXERCISES)
    questions_answered: _Count = 0
    questions_right: _Count = 0
