"""What a view may say. A front end can be made to send anything: what is not one of these is ignored."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

ViewId = Annotated[str, Field(min_length=1, max_length=64)]


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Opened(_Message):
    """A view has been drawn. ``keeps``: replacing the output's text leaves it where it is."""

    kind: Literal["opened"]
    view: ViewId
    keeps: bool


class Closed(_Message):
    """A view is gone."""

    kind: Literal["closed"]
    view: ViewId


class Drawn(_Message):
    """A view has drawn what it was sent last."""

    kind: Literal["drawn"]


class Scale(_Message):
    """Somebody wants another number of workers, checked as every such wish is."""

    kind: Literal["scale"]
    n_workers: int | float | str | bool | None


class Stop(_Message):
    """Somebody wants to stop the cluster and has confirmed it."""

    kind: Literal["stop"]


class Page(_Message):
    """Somebody has chosen a page of the dashboard."""

    kind: Literal["page"]
    page: Annotated[str, Field(max_length=80)]


class Retire(_Message):
    """Somebody wants to retire a worker and has confirmed it."""

    kind: Literal["retire"]
    worker: Annotated[str, Field(min_length=1, max_length=200)]


class Moment(_Message):
    """A recording has been played up to this sample, and somebody may look at it for a while."""

    kind: Literal["moment"]
    sample: Annotated[int, Field(ge=0, le=10**6)]


Message: TypeAlias = Opened | Closed | Drawn | Scale | Stop | Page | Retire | Moment
_MESSAGE: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="kind")])


def read_message(content: Any) -> Message | None:
    """Return the message, or None when it is none."""
    try:
        return _MESSAGE.validate_python(content)
    except (ValidationError, RecursionError):
        return None
