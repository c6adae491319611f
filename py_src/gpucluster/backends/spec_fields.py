"""What the specs of the kinds are made of: fields that forms show, and texts that must have a form."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from ..protocol.spec_base import SpecBase, shown_in

AbsolutePath = Annotated[str, AfterValidator(lambda value: SpecBase._absolute(value))]


def option(group: str, title: str, default: Any, description: str, **shown: Any) -> Any:
    """Return a field that forms show in a group.

    `default`: or what makes it, such as ``list``. `shown`: further arguments of ``shown_in``.
    """
    made = {"default_factory" if callable(default) else "default": default}
    return Field(**made, title=title, description=description, json_schema_extra=shown_in(group, **shown))


advanced = partial(option, advanced=True)


def matching(pattern: str, message: str) -> AfterValidator:
    """Refuse a text that does not match as a whole."""

    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(message)
        return value

    return AfterValidator(check)


def pairs(text: str, example: str) -> dict[str, str]:
    """Read ``NAME=value,OTHER=value``."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all("=" in part for part in parts):
        raise ValueError(f"must be written like {example}")
    return {name.strip(): given.strip() for name, _, given in (part.partition("=") for part in parts)}


def not_at_default(spec: SpecBase, names: Iterable[str]) -> str | None:
    """Return the first of these fields that differs from its default."""
    fields = type(spec).model_fields
    return next((name for name in names if getattr(spec, name) != fields[name].default), None)
