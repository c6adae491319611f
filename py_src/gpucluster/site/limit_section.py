"""One entry of the section ``limits``, and its replacement if it cannot be read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import PydanticKnownError

from ..protocol.durations import walltime_seconds
from ..protocol.errors import FieldError, invalid_request
from ..protocol.sizes import parse_size
from .limits import SiteLimits

_Section = TypeVar("_Section", bound=BaseModel)
_WRITE = {
    "memory_limit": "a size such as '4 GiB'",
    "memory": "a size such as '64 GiB'",
    "scratch": "a size such as '100 GiB'",
    "walltime": "a time such as 24:00:00",
    "kinds": "a list such as [auto, local]",
    "per_user": "limits below it",
    "hours": "a list such as [Mon-Fri 08:00-20:00]",
    "message": "a text",
    "instructors": "a list of names",
    "reserved_gpus": "a list such as [0, 1]",
    "links": "true or false",
    "public_links": "true or false",
}


class NothingEmpty(BaseModel):
    """A section of limits, in which a key without a value is an error."""

    model_config = ConfigDict(extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _given(cls, value: Any, info: ValidationInfo) -> Any:
        if value is None:
            what = _WRITE.get(str(info.field_name), "a number")
            raise ValueError(f"is empty: write {what}, or remove the line")
        return value


def read_partly(model: type[_Section], given: Mapping[str, Any]) -> tuple[_Section | None, list[FieldError]]:
    """Return a section without its invalid entries, and their errors; ``None``: nothing of it can be read."""
    try:
        return model.model_validate(given), []
    except ValidationError as error:
        faults = invalid_request(error).fields
    try:
        return model.model_validate(_without(given, [fault.field for fault in faults])), faults
    except ValidationError:
        return None, faults


def _without(given: Mapping[str, Any], paths: Collection[str]) -> dict[str, Any]:
    kept = {}
    for name, value in given.items():
        # A key may contain dots itself.
        below = [path.removeprefix(f"{name}").removeprefix(".") for path in paths if f"{path}.".startswith(f"{name}.")]
        if isinstance(value, Mapping) and below and all(below):
            kept[name] = _without(value, below)
        elif not below:
            kept[name] = value
    return kept


LEAST = SiteLimits(n_workers=1, threads_per_worker=1, idle_timeout_seconds=600, memory_limit=2**30, walltime=600)
"""Used instead of a limit that cannot be read."""

MOST = 10**9  # Larger than any real value; above it is a typing error.
Count = Annotated[int, Field(strict=True, ge=1, le=MOST)]


def _size(value: Any) -> int:
    size = parse_size(value)
    if isinstance(size, float):
        raise ValueError("must be a size such as '4 GiB', not a percentage: machines differ")
    return size


def _seconds(value: Any) -> int:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = str(value)
    if must_be_text(value).lower() in {"unlimited", "infinite"}:
        raise ValueError("must be a time such as 24:00:00; for no limit, leave the line out")
    if not (seconds := walltime_seconds(value)):
        raise ValueError("must be greater than 0; for no limit, leave the line out")
    return seconds


def must_be_text(value: Any) -> str:
    if not isinstance(value, str):
        raise PydanticKnownError("string_type")
    return value


def _some_kinds(value: list[str]) -> list[str]:
    if not value:
        raise ValueError("must name at least one kind, such as 'local'; leave it out to allow all")
    return value


Bytes = Annotated[int, BeforeValidator(_size)]
Seconds = Annotated[int, BeforeValidator(_seconds)]
"""A time in Slurm's notation; a whole number means minutes."""


class Limits(NothingEmpty):
    """The limits of one kind, or of all, as in ``SiteLimits``."""

    n_workers: Count | None = None
    threads_per_worker: Count | None = None
    memory_limit: Bytes | None = None
    idle_timeout_seconds: Count | None = None
    walltime: Seconds | None = None
    kinds: Annotated[list[str], AfterValidator(_some_kinds)] | None = None

    def narrowed(self) -> SiteLimits:
        kinds = tuple(self.kinds) if self.kinds is not None else None
        return SiteLimits(**self.model_dump(exclude={"kinds"}), backends=kinds)


LEAST_HOLDS = (
    "Until it is fixed, clusters of {} have at most 1 worker with 1 thread and 1 GiB, 10 minutes idle and jobs of 10 "
    "minutes."
)
