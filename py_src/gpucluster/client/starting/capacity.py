"""Checks before a request: kinds and presets available here, capacity of the machine, what workers will share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from pydantic import Field

from ...devices.host import host_devices, this_machine
from ...protocol.capacity import (
    LEAST_MEMORY_BYTES,
    capacity_notes,
    default_workers,
    memory_fault,
    memory_of_worker,
    spec_notes,
)
from ...protocol.errors import InvalidRequest, NoUsableDevice
from ...protocol.kinds import KindModel, SpecRule, find_kind, kind_models, parse_spec
from ...protocol.models import ClusterModel, Demand, Preset
from ...protocol.spec import MAX_WORKERS, ClusterPatch, SpecBase, parse_patch
from ...protocol.traits import Traits
from ...site.completing import asked_for, completed, of_defaults, preset_here
from ...site.limits import changed
from ...site.model import EVERY
from ...site.quota import Remaining
from ...site.reading import this_site

_UNKNOWN = Traits(this_machine=False)  # Of a kind that is not installed here.


def checked_spec(value: Any, *rules: SpecRule) -> SpecBase:
    """Validate a request, including against the capacity of this machine and the rules of this site.

    A ``preset`` is replaced by its fields, the site's defaults are filled in, and open fields are narrowed to its
    limits.
    """
    site = this_site()
    asked = asked_for(value)
    try:
        spec = parse_spec(completed(asked), *rules, site.fault, _must_fit)
    except InvalidRequest as error:
        raise of_defaults(error, asked) from None
    shared = site.sharing.per_user.memory is not None
    return site.limits_of(spec.backend).narrow_spec(spec, keep_auto=shared) if site.narrows else spec


def bounded_spec(spec: SpecBase) -> SpecBase:
    """Return a spec whose number of workers, if left open, is bounded by the site. Reads the GPUs."""
    limit = this_site().limits_of(spec.backend).n_workers
    if limit is None or spec.n_workers is not None or "n_workers" not in type(spec).model_json_schema()["properties"]:
        return spec
    hosts = getattr(spec, "hosts", None)
    count = len(hosts) if hosts else _count(spec)[0]
    return spec if count is not None and count <= limit else changed(spec, {"n_workers": limit})


def checked_patch(model: ClusterModel, value: ClusterPatch | dict[str, Any]) -> ClusterPatch:
    """Validate a change of a cluster, including against the rules of this site. Raises `InvalidRequest`."""
    patch = value if isinstance(value, ClusterPatch) else parse_patch(value)
    this_site().check_patch(model, patch)
    return patch


def _must_fit(traits: Traits, field: str, value: Any, _before: Mapping[str, Any]) -> str | None:
    fault = memory_fault(value, this_machine()) if field == "memory_limit" and traits.this_machine else None
    return fault.message if fault is not None else None


def notes_on_spec(spec: SpecBase) -> list[str]:
    """Return notes on a cluster before it is created; the site's message of the day first."""
    message = this_site().sharing.message
    said = [message] if message else []
    if not _traits(spec.backend).this_machine:
        return said
    demand = demand_of(spec)
    if demand is None:
        return said + spec_notes(spec, this_machine(), n_workers=_count(spec)[0])
    memory = demand.memory_limit_bytes or 0
    return said + capacity_notes(demand.n_workers, demand.threads_per_worker, memory, this_machine())


def demand_of(spec: SpecBase, left: Remaining | None = None) -> Demand | None:
    """Return what a cluster would take of this machine; ``None``: its workers run elsewhere, or it is unknown.

    `left`: what remains of this user's share; by default as for a user without other clusters.
    """
    left = left or Remaining()
    count, gpus = _count(spec, left)
    traits = _traits(spec.backend)
    if not traits.this_machine or traits.queues or count is None:
        return None
    machine = this_machine()
    # As in the backends: an equal share of the machine for each GPU, or for each worker.
    memory = memory_of_worker(spec.memory_limit, machine, workers=count if gpus is None else gpus)
    return Demand(
        n_workers=count,
        threads_per_worker=spec.threads_per_worker,
        memory_limit_bytes=left.memory_limit(spec, memory, count) or None,
        machine_memory_bytes=machine.memory_bytes,
        machine_cores=machine.cores,
    )


def _count(spec: SpecBase, left: Remaining | None = None) -> tuple[int | None, int | None]:
    """Return the number of workers a cluster would have, and of GPUs if each has one; ``None``: unknown."""
    traits = _traits(spec.backend)
    gpus = usable_gpus(getattr(spec, "devices", None)) if traits.needs_host_check or traits.chooses else None
    if spec.n_workers is not None:
        return spec.n_workers, gpus
    # By default as for a user without other clusters; the cluster's process knows what is left.
    lowered = partial((left or Remaining()).lowered, spec) if traits.this_machine and not traits.queues else int
    if gpus is not None:
        return lowered(gpus), gpus
    if traits.default_workers is None:
        return None, None
    return lowered(default_workers(this_machine(), traits.default_workers)), None


def notes_on_patch(model: ClusterModel, patch: ClusterPatch) -> list[str]:
    """Return notes on another number of workers before it is requested."""
    count = patch.adapt.maximum if patch.adapt is not None else patch.n_workers
    if not count or not model.workers or not _traits(model.backend).this_machine:
        return []
    # All workers of a cluster are alike.
    worker, machine = model.workers[0], this_machine()
    memory = worker.memory_limit_bytes or 0
    if model.spec.memory_limit == "auto" and not model.has_gpus:  # More workers have less each.
        memory = min(memory, memory_of_worker("auto", machine, workers=count))
    return capacity_notes(count, worker.n_threads, memory, machine)


def most_workers(model: ClusterModel) -> int:
    """Return the default maximum of adaptive scaling.

    One worker per GPU or core of this machine; for workers elsewhere, as many as a cluster may have.
    """
    traits = _traits(model.backend)
    most = min(MAX_WORKERS, this_site().limits_of(model.backend).n_workers or MAX_WORKERS)
    if not traits.this_machine:
        return most
    gpus = usable_gpus(getattr(model.spec, "devices", None)) if traits.has_gpus else None
    shares = model.spec.memory_limit == "auto" and gpus is None
    memory = LEAST_MEMORY_BYTES if shares else model.memory_limit_bytes or 0
    fits = Remaining().most_workers(model.spec.threads_per_worker, memory)
    return max(1, min(gpus or this_machine().cores, most, MAX_WORKERS if fits is None else fits))


def _traits(backend: str) -> Traits:
    found = find_kind(backend)
    return found.kind.traits if found is not None and found.kind is not None else _UNKNOWN


def usable_gpus(devices: list[int | str] | None = None) -> int | None:
    """Return how many of these GPUs on this machine, by default of all, are usable; ``None``: unknown."""
    from ...devices.selection import select_devices

    host = host_devices()
    if not host.available:
        return None
    try:
        return len(select_devices(host, devices))
    except NoUsableDevice:
        return None  # The start will report why.


class ListedPreset(Preset):
    """A preset with its usability on this machine."""

    problem: str | None = Field(None, description="Why it cannot be used here; null if it can.")


def kinds_here() -> list[KindModel]:
    """Return all kinds of clusters, with the reason why one cannot be used here, such as GPUs or the site."""
    return [kind.model_copy(update={"problem": _problem_of(kind)}) for kind in kind_models()]


def presets_here() -> list[ListedPreset]:
    """Return all presets, with the reason why one cannot be used here."""
    return [ListedPreset(**preset.model_dump(), problem=_problem_of_preset(preset)) for preset in this_site().presets]


def _problem_of(kind: KindModel) -> str | None:
    allowed = this_site().limits_of(EVERY).backends
    if allowed is not None and kind.name not in allowed:
        return f"Not allowed by this site, which allows {', '.join(allowed)}."
    if not kind.problem and kind.traits is not None and kind.traits.needs_host_check and not kind.traits.chooses:
        host = host_devices()
        return None if host.available else host.message
    return kind.problem


def _problem_of_preset(preset: Preset) -> str | None:
    here = preset_here(preset)
    if here.absent or here.fault:
        return here.absent or f"Not allowed by this site: {here.fault}"
    host = host_devices() if preset.needs_gpu else None
    return host.message if host is not None and not host.available else None
