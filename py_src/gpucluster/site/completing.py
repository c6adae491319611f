"""Completes a request with the preset that it names and the site's defaults; whether a preset can be offered here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..protocol.errors import GPUClusterError, InvalidRequest, refused_field
from ..protocol.kinds import absence, parse_spec
from ..protocol.models import Preset
from ..protocol.plain_text import printable
from ..protocol.spec import SpecBase, UnknownSpec
from .model import EVERY, known_kind, near_to, preset_faults
from .presets import SITE_PRESETS
from .reading import this_site

PRESET = "preset"  # The field of a request that names a preset; no kind may have a field of that name.


def find_preset(name: Any) -> Preset:
    """Return the preset of that name: one of every installation, of the site, or ready for sites."""
    presets = {preset.name: preset for preset in (*SITE_PRESETS, *this_site().presets)}
    if isinstance(name, str) and name in presets:
        return presets[name]
    listed = ", ".join(preset.name for preset in this_site().presets)
    shown = f"'{printable(str(name), 40)}'{near_to(name, presets)}"
    raise refused_field(PRESET, f"unknown preset {shown}; available: {listed}")


def with_preset(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request with the fields of the preset that it names; its own fields take precedence."""
    fields = dict(given)
    name = fields.pop(PRESET, None)
    return fields if name is None else {**find_preset(name).spec, **fields}


def asked_for(value: Any) -> Any:
    """Return a request, which may be JSON text, with its preset applied; anything else is returned unchanged."""
    if isinstance(value, (bytes, str)):
        try:
            value = TypeAdapter(dict[str, Any]).validate_json(value)
        except ValidationError:
            return value  # Its validation reports the error.
    return with_preset(value) if isinstance(value, dict) else value


def completed(value: Any) -> Any:
    """Return a request with the site's defaults for what it leaves open."""
    site = this_site()
    if not site.defaults:
        return value
    if isinstance(value, SpecBase) and not isinstance(value, UnknownSpec):
        given = {**value.model_dump(exclude_unset=True), "backend": value.backend}
        made = site.complete(given, type(value))
        return value if made == given else made
    if not isinstance(value, dict):
        return value
    given = {**value, "backend": value.get("backend", "auto")}
    kind = known_kind(given["backend"])
    return value if kind is None else site.complete(given, kind.spec)


def of_defaults(refused: InvalidRequest, request: Any) -> InvalidRequest:
    """Return a refusal that names the refused fields which are the site's defaults and were not requested."""
    given = request.model_dump(exclude_unset=True) if isinstance(request, SpecBase) else request
    if not isinstance(given, dict):
        return refused
    site = this_site()
    kind = request.backend if isinstance(request, SpecBase) else str(given.get("backend", "auto"))
    defaults = {*site.defaults.get(EVERY, {}), *site.defaults.get(kind, {})}.difference(given)
    if not any(fault.field in defaults for fault in refused.fields):
        return refused
    own = f" (it is this site's default in {site.path}; pass another value)"
    fields = [
        fault.model_copy(update={"message": fault.message + own}) if fault.field in defaults else fault
        for fault in refused.fields
    ]
    return InvalidRequest("; ".join(f"{fault.field}: {fault.message}" for fault in fields) + ".", fields=fields)


@dataclass(frozen=True)
class PresetHere:
    """State of a preset here; it is offered if neither `absent` nor `fault` is set."""

    spec: SpecBase | None = None  # ``None`` if users have to add something, such as hosts.
    absent: str | None = None  # Why its kind is not installed.
    fault: str | None = None  # Why it is invalid, or refused by the site.


def preset_here(preset: Preset, *, packages: bool = True) -> PresetHere:
    """Check a preset. `packages`: as in ``absence``."""
    if faults := preset_faults(preset):
        return PresetHere(fault=f"{faults[0].field}: {faults[0].message}.")
    if absent := absence(str(preset.spec.get("backend", "auto")), packages=packages):
        return PresetHere(absent=absent)
    try:
        return PresetHere(parse_spec(preset.spec, this_site().fault))
    except GPUClusterError as error:
        missing = all(not fault.field for fault in error.fields)
        return PresetHere() if missing else PresetHere(fault=error.message)
