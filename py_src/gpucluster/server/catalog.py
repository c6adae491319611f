"""Schema of the creation form, presets, devices, the site's faults, and the OpenAPI document."""

from __future__ import annotations

import asyncio
import logging
import re
import sys
from contextlib import suppress
from typing import Any

from ..client.starting.environment import python_of
from ..protocol.errors import GPUClusterError
from ..protocol.kinds import Schemas, kind_models, traits_of
from ..protocol.models import MemoryPart, OfferedPreset, Preset, SiteFaults
from ..protocol.spec_base import SpecBase
from ..site.completing import preset_here
from ..site.model import can_change, notice_of
from ..site.reading import this_site
from .api import ClusterAPIHandler
from .openapi import openapi_document


def offered(preset: Preset, spec: SpecBase | None) -> OfferedPreset:
    """Return a preset with its picture. `spec`: its request; ``None``: incomplete."""
    has_gpus = spec is not None and traits_of(spec).has_gpus
    return OfferedPreset(
        **preset.model_dump(),
        memory_title="GPU memory" if has_gpus else "Memory of a worker",
        memory=_parts(spec) if spec is not None else [],
    )


def _parts(spec: SpecBase) -> list[MemoryPart]:
    traits = traits_of(spec)
    if not traits.this_machine or traits.queues or traits.chooses:
        return []  # Depends on where the workers start.
    if not traits.has_gpus:
        return _split("use", 0.6, "results up to 60 %", "spill", "above: to disk")
    pool = getattr(spec, "rmm_pool_size", None)
    if isinstance(pool, float) and 0 < pool < 1:
        return _split("pool", pool, f"RMM pool, {round(pool * 100)} %", "free", "left for others")
    if getattr(spec, "enable_cudf_spill", False):
        return [MemoryPart(kind="use", share=1, text="data frames; when full, cuDF moves them to the host")]
    return _split("use", 0.8, "results up to 80 %", "spill", "above: to the host")


def _split(kind: str, share: float, text: str, other: str, rest: str) -> list[MemoryPart]:
    parts = ((kind, share, text), (other, 1 - share, rest))
    return [MemoryPart.model_validate({"kind": kind, "share": share, "text": text}) for kind, share, text in parts]


class PresetList:
    """The current presets: the site's file may change while the server runs."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._told: set[str] = set()
        self.presets()

    def presets(self) -> list[OfferedPreset]:
        """Return the allowed presets of available kinds."""
        return [one for one in map(self._offered, this_site().presets) if one is not None]

    def _offered(self, preset: Preset) -> OfferedPreset | None:
        # The form shows why a kind is unavailable; a package may be in another environment.
        here = preset_here(preset, packages=False)
        message = f"The preset '{preset.name}' is skipped: {here.fault}"
        if here.fault is not None and message not in self._told:
            self._told.add(message)
            self._log.warning("%s", message)
        return None if here.absent or here.fault else offered(preset, here.spec)


GENERAL = frozenset({"Cluster", "Memory", "GPU memory", "Network"})
"""Sections that many kinds have. Other sections are specific to a kind: hosts, partition, GPUs."""


def prepare_for_form(schema: dict[str, Any]) -> None:
    """Put the fields that are specific to a kind first, and describe durations as the form takes them; in place."""
    fields = schema["properties"].items()
    ordered = sorted(fields, key=lambda item: item[0] != "backend" and item[1].get("group", "Cluster") in GENERAL)
    schema["properties"] = dict(ordered)
    for name, field in ordered:
        branches = [branch.get("type") for branch in field.get("anyOf", [field])]
        if name.endswith("_seconds") and "integer" in branches:
            text = re.sub(r"^Seconds ", "Time ", field.get("description", ""))
            text = text.replace("; none: never.", ".").replace(", in seconds,", "")
            field["help"] = f"{text} Write '30 min'" + (", '2 h' or 'never'." if "null" in branches else " or '2 h'.")


class SchemaHandler(ClusterAPIHandler):
    """JSON Schema of each backend's spec."""

    async def get(self) -> None:
        # Not in the loop: pydantic takes a fifth of a second for the first page.
        self.answer(await asyncio.to_thread(_schemas, self.get_query_argument("kernel", None)))


def _schemas(kernel: str | None) -> Schemas:
    """Return what the site allows. Packages are needed in the workers' Python environment, which may be another one."""
    schemas = this_site().schemas()
    for schema in schemas.values():
        prepare_for_form(schema)
    packages = python_of(None) == sys.executable
    with suppress(GPUClusterError, OSError):
        packages = python_of(kernel) == sys.executable
    kinds = [kind for kind in kind_models(packages=packages) if kind.name in schemas or kind.traits is None]
    return Schemas(backends=schemas, kinds=kinds)


class PresetsHandler(ClusterAPIHandler):
    presets: PresetList

    async def get(self) -> None:
        presets = await asyncio.to_thread(self.presets.presets)
        self.finish({"presets": [preset.model_dump(mode="json") for preset in presets]})


class OpenAPIHandler(ClusterAPIHandler):
    async def get(self) -> None:
        self.finish(openapi_document(self.base_url))


class SiteHandler(ClusterAPIHandler):
    polled = True

    async def get(self) -> None:
        self.answer(await asyncio.to_thread(_faults, is_admin=is_hub_admin(self.current_user)))


def _faults(*, is_admin: bool) -> SiteFaults:
    site = this_site()
    faults = list(site.troubles) if is_admin or can_change(site) else []
    return SiteFaults(faults=faults, notice=notice_of(site), message=site.sharing.message or None)


def is_hub_admin(user: Any) -> bool:
    """Return whether JupyterHub names this user as an administrator, who may be able to change the site's file."""
    model = getattr(user, "hub_user", None)
    return isinstance(model, dict) and model.get("admin") is True
