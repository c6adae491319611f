"""Messages of views. A front end can be made to send anything: all other messages are ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

if TYPE_CHECKING:
    from ..client.control import AsyncControl

ViewId = Annotated[str, Field(min_length=1, max_length=64)]


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Opened(_Message):
    """A view was drawn. ``keeps``: it stays when the output's text is replaced."""

    kind: Literal["opened"]
    view: ViewId
    keeps: bool


class Closed(_Message):
    kind: Literal["closed"]
    view: ViewId


class Drawn(_Message):
    """A view has drawn the last message."""

    kind: Literal["drawn"]


class Page(_Message):
    kind: Literal["page"]
    page: Annotated[str, Field(max_length=80)]


class Moment(_Message):
    """A recording has stopped at this sample."""

    kind: Literal["moment"]
    sample: Annotated[int, Field(ge=0, le=10**6)]


class Request(_Message):
    """A verb with its arguments in order; irreversible ones were confirmed."""

    kind: str

    async def send(self, control: AsyncControl, id: str) -> None:
        """Send the request to the cluster. Raises `GPUClusterError`."""
        named: dict[str, Any] = self.model_dump(exclude={"kind"})
        await getattr(control, self.kind)(id, *named.values(), wait=False)


class Scale(Request):
    """Another number of workers, checked like every such request."""

    kind: Literal["scale"]
    n_workers: int | float | str | bool | None


class Retire(Request):
    kind: Literal["retire"]
    worker: Annotated[str, Field(min_length=1, max_length=200)]


class Stop(Request):
    kind: Literal["stop"]


Message: TypeAlias = Opened | Closed | Drawn | Page | Moment | Scale | Retire | Stop
_MESSAGE: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="kind")])


def read_message(content: Any) -> Message | None:
    """Return the message; None: invalid."""
    try:
        return _MESSAGE.validate_python(content)
    except (ValidationError, RecursionError):
        return None
