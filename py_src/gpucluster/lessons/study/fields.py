"""The parts that all study files are made of: numbers, names and links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

Lesson = Annotated[str, StringConstraints(pattern=r"^[0-9]{2}$")]
Topic = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]*$")]
Row = Annotated[str, StringConstraints(pattern=r"^S[0-9]-[0-9]{2}$")]
Link = Annotated[str, StringConstraints(pattern=r"^[0-9]{2}(\.[1-9][0-9]*|#[a-z][a-z0-9-]*)?$")]
Markdown = Annotated[str, StringConstraints(min_length=1, max_length=4_000, pattern=r"\S")]
Exercise = Annotated[str, StringConstraints(pattern=r"^[0-9]{2}\.[1-9][0-9]*$")]
LineId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,15}$")]


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def check_ids(prefix: str, ids: Iterable[str]) -> None:
    """Raise a sentence unless all ids are different and begin with the lesson."""
    ids = list(ids)
    unique(ids)
    for name in ids:
        if name.partition(".")[0] != prefix:
            raise ValueError(f"the id {name!r} must begin with '{prefix}.'")


def unique(ids: list[str]) -> None:
    """Raise a sentence unless all ids are different."""
    if twice := [name for name, times in Counter(ids).items() if times > 1]:
        raise ValueError(f"the id {twice[0]!r} is there twice")
