"""What a preset does with the memory of a worker, for the form's picture of it."""

from __future__ import annotations

from ..protocol.kinds import traits_of
from ..protocol.models import MemoryPart, OfferedPreset, Preset
from ..protocol.spec_base import SpecBase


def offered(preset: Preset, spec: SpecBase | None) -> OfferedPreset:
    """Return a preset with its picture.

    Parameters
    ----------
    preset : Preset
    spec : SpecBase or None
        What it asks for; ``None``: something is still missing in it.
    """
    has_gpus = spec is not None and traits_of(spec).has_gpus
    return OfferedPreset(
        **preset.model_dump(),
        memory_title="GPU memory" if has_gpus else "Memory of a worker",
        memory=_parts(spec) if spec is not None else [],
    )


def _parts(spec: SpecBase) -> list[MemoryPart]:
    traits = traits_of(spec)
    if not traits.this_machine or traits.queues or traits.chooses:
        return []  # It depends on where they start.
    if not traits.has_gpus:
        return _split("use", 0.6, "results up to 60 %", "spill", "above: to disk")
    pool = getattr(spec, "rmm_pool_size", None)
    if isinstance(pool, float) and 0 < pool < 1:
        return _split("pool", pool, f"RMM pool, {round(pool * 100)} %", "free", "left to others")
    if getattr(spec, "enable_cudf_spill", False):
        return [MemoryPart(kind="use", share=1, text="data frames; when full, cuDF moves them to the host")]
    return _split("use", 0.8, "results up to 80 %", "spill", "above: to the host")


def _split(kind: str, share: float, text: str, other: str, rest: str) -> list[MemoryPart]:
    parts = ((kind, share, text), (other, 1 - share, rest))
    return [MemoryPart.model_validate({"kind": kind, "share": share, "text": text}) for kind, share, text in parts]
