"""Reads a section of which a part is wrong: that part is left out, and what can be read counts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator

from ..protocol.errors import FieldError, invalid_request

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
    """A section of limits: a key without a value is no answer to how much there may be."""

    model_config = ConfigDict(extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _given(cls, value: Any, info: ValidationInfo) -> Any:
        if value is None:
            what = _WRITE.get(str(info.field_name), "a number")
            raise ValueError(f"is empty: write {what}, or leave the line out")
        return value


def read_partly(model: type[_Section], given: Mapping[str, Any]) -> tuple[_Section | None, list[FieldError]]:
    """Return a section without what is wrong in it, and that; ``None``: nothing of it can be read."""
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
        # A key may have dots of its own.
        below = [path.removeprefix(f"{name}").removeprefix(".") for path in paths if f"{path}.".startswith(f"{name}.")]
        if isinstance(value, Mapping) and below and all(below):
            kept[name] = _without(value, below)
        elif not below:
            kept[name] = value
    return kept
