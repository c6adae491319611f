"""What can be said of a request before it is made: whether the machine can hold it, and what will be shared."""

from __future__ import annotations

from ..devices.machine import this_machine
from ..protocol.capacity import capacity_notes, memory_fault, spec_notes
from ..protocol.errors import InvalidRequest
from ..protocol.models import ClusterModel
from ..protocol.spec import ClusterPatch, SpecBase


def must_fit(spec: SpecBase) -> None:
    """Refuse what this machine can never hold.

    Raises
    ------
    InvalidRequest
        One worker may use more memory than there is.
    """
    fault = memory_fault(spec.memory_limit, this_machine())
    if fault is not None:
        raise InvalidRequest(f"{fault.field}: {fault.message}.", fields=[fault])


def notes_on_spec(spec: SpecBase) -> list[str]:
    """Return what to know about a cluster before it is made, in sentences.

    Raises
    ------
    InvalidRequest
        It can never be.
    """
    must_fit(spec)
    return spec_notes(spec, this_machine(), n_workers=_one_per_gpu(spec))


def notes_on_patch(model: ClusterModel, patch: ClusterPatch) -> list[str]:
    """Return what to know about another number of workers before it is asked for, in sentences."""
    count = patch.adapt.maximum if patch.adapt is not None else patch.n_workers
    if not count or not model.workers or model.backend not in {"local", "cuda"}:
        return []
    # All workers of one cluster are made alike.
    worker = model.workers[0]
    return capacity_notes(count, worker.n_threads, worker.memory_limit_bytes or 0, this_machine())


def _one_per_gpu(spec: SpecBase) -> int | None:
    if getattr(spec, "backend", "") == "local" or spec.n_workers is not None:
        return None
    from ..devices import host_devices
    from ..devices.selection import select_devices
    from ..protocol.errors import NoUsableDevice

    host = host_devices()
    if not host.available:
        return None
    try:
        return len(select_devices(host, getattr(spec, "devices", None)))
    except NoUsableDevice:
        return None  # The start will say why.


def most_workers(model: ClusterModel) -> int:
    """Return up to how many workers a cluster adapts when no maximum is named."""
    return this_machine().cores
