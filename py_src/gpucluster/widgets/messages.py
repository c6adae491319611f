"""What a view may say. A front end can be made to send anything: what is not one of these is ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

if TYPE_CHECKING:
    from ..client.control import AsyncControl

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


class Page(_Message):
    """Somebody has chosen a page of the dashboard."""

    kind: Literal["page"]
    page: Annotated[str, Field(max_length=80)]


class Moment(_Message):
    """A recording has been played up to this sample, and somebody may look at it for a while."""

    kind: Literal["moment"]
    sample: Annotated[int, Field(ge=0, le=10**6)]


class Request(_Message):
    """A verb, with its arguments in their order; what cannot be taken back was confirmed."""

    kind: str

    async def send(self, control: AsyncControl, id: str) -> None:
        """Ask the cluster for it; `GPUClusterError` where it is refused."""
        named: dict[str, Any] = self.model_dump(exclude={"kind"})
        await getattr(control, self.kind)(id, *named.values(), wait=False)


class Scale(Request):
    """Another number of workers, checked as every such request is."""

    kind: Literal["scale"]
    n_workers: int | float | str | bool | None


class Retire(Request):
    """A worker is to be retired."""

    kind: Literal["retire"]
    worker: Annotated[str, Field(min_length=1, max_length=200)]


class Stop(Request):
    """The cluster is to stop."""

    kind: Literal["stop"]


Message: TypeAlias = Opened | Closed | Drawn | Page | Moment | Scale | Retire | Stop
_MESSAGE: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="kind")])


def read_message(content: Any) -> Message | None:
    """Return the message, or None when it is none."""
    try:
        return _MESSAGE.validate_python(content)
    except (ValidationError, RecursionError):
        return None
