"""Whether a preset can be offered here: the same answer for the form and for who asks in a shell."""

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
    """What a preset is here; it is offered where nothing is said against it."""

    spec: SpecBase | None = None  # What it asks for; ``None`` where people have to fill something in, such as hosts.
    absent: str | None = None  # Why its kind is not there, in a sentence.
    fault: str | None = None  # What is wrong with it, or what the site has against it, in a sentence.


def preset_here(preset: Preset, *, packages: bool = True) -> PresetHere:
    """Look at a preset. `packages`: as of ``absence``."""
    if faults := preset_faults(preset):
        return PresetHere(fault=f"{faults[0].field}: {faults[0].message}.")
    if absent := absence(str(preset.spec.get("backend", "auto")), packages=packages):
        return PresetHere(absent=absent)
    try:
        return PresetHere(parse_spec(preset.spec, this_site().fault))
    except GPUClusterError as error:
        missing = all(not fault.field for fault in error.fields)
        return PresetHere() if missing else PresetHere(fault=error.message)
