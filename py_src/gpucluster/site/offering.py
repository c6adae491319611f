"""Whether a preset can be offered here, with the same answer for the form and the command line."""

from __future__ import annotations

from dataclasses import dataclass

from ..protocol.errors import GPUClusterError
from ..protocol.kinds import absence, parse_spec
from ..protocol.models import Preset
from ..protocol.spec_base import SpecBase
from .faults import preset_faults
from .reading import this_site


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
