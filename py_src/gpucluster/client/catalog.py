"""The kinds and presets that there are, those that cannot be used on this machine with the reason."""

from __future__ import annotations

from pydantic import Field

from ..devices.host import host_devices
from ..protocol.kinds import KindModel, kind_models
from ..protocol.models import Preset
from ..protocol.traits import Traits
from ..site.model import EVERY
from ..site.offering import preset_here
from ..site.reading import this_site


class ListedPreset(Preset):
    """A preset, as it is on this machine."""

    problem: str | None = Field(None, description="Why it cannot be used here; null: it can.")


def kinds_here() -> list[KindModel]:
    """Return all kinds of clusters, those that cannot be used here with the reason: its GPUs and its site included."""
    return [kind.model_copy(update={"problem": _against(kind)}) for kind in kind_models()]


def presets_here() -> list[ListedPreset]:
    """Return all presets, those that cannot be used here with the reason."""
    return [ListedPreset(**preset.model_dump(), problem=_against_preset(preset)) for preset in this_site().presets]


def _against(kind: KindModel) -> str | None:
    allowed = this_site().limits_of(EVERY).backends
    if allowed is not None and kind.name not in allowed:
        return f"Not allowed by this site, which allows {', '.join(allowed)}."
    if not kind.problem and _only_with_gpus(kind.traits):
        host = host_devices()
        return None if host.available else host.message
    return kind.problem


def _only_with_gpus(traits: Traits | None) -> bool:
    return traits is not None and traits.needs_host_check and not traits.chooses


def _against_preset(preset: Preset) -> str | None:
    here = preset_here(preset)
    if here.absent or here.fault:
        return here.absent or f"Not allowed by this site: {here.fault}"
    host = host_devices() if preset.needs_gpu else None
    return host.message if host is not None and not host.available else None
