"""Errors in partial specifications, with suggestions."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from ..protocol.errors import FieldError, invalid_request
from ..protocol.kinds import ClusterKind, find_kind, usable_kinds
from ..protocol.models import Preset
from ..protocol.plain_text import printable


def known_kind(name: Any) -> type[ClusterKind] | None:
    """Return the kind of that name, if it can be used here."""
    found = find_kind(name) if isinstance(name, str) else None
    return found.kind if found is not None else None


def preset_faults(preset: Preset) -> list[FieldError]:
    """Return the errors in the fields of a preset; missing fields are allowed."""
    name = preset.spec.get("backend", "auto")
    kind = known_kind(name)
    if kind is None:
        near = near_to(str(name), usable_kinds())
        return [FieldError(field="backend", message=f"there is no kind of cluster '{printable(str(name), 40)}'{near}")]
    return field_faults(kind.spec, {"backend": name, **preset.spec})


def field_faults(spec: type[BaseModel], given: Mapping[str, Any]) -> list[FieldError]:
    """Return the errors in single fields of a partial specification."""
    try:
        TypeAdapter(spec).validate_python(dict(given))
    except ValidationError as error:
        return [fault for fault in invalid_request(error).fields if fault.field.split(".")[0] in given]
    return []


def unknown_key(fault: FieldError, known: Collection[str]) -> str:
    """Return the message for a key of a section; for an unknown one, with the known ones."""
    if fault.message.startswith("is not an option of this request"):
        return f"is not known here{near_to(fault.field.rpartition('.')[2], known)}; available: {', '.join(known)}"
    return fault.message


def near_to(typed: Any, known: Collection[str]) -> str:
    """Return `` (did you mean 'x'?)`` if a known name is similar, else nothing."""
    near = difflib.get_close_matches(str(typed).lower(), known, n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""
