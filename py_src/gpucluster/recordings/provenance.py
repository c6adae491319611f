"""The first line of a recording: what runs, on which GPUs, with which versions."""

from __future__ import annotations

from collections.abc import Iterable

from ..devices import host_devices
from ..protocol.models import ClusterModel, DeviceModel
from ..protocol.recordings import RecordedVersions, Recording
from ..protocol.telemetry import TelemetrySample

_STAND_INS = ("fake", "simulated", "mock", "dummy")
"""What devices are called that exist in tests only."""
_MOST_LETTERS = 200


def provenance(
    model: ClusterModel, sample: TelemetrySample, *, title: str, note: str | None, recorded_at: str
) -> Recording:
    """Return the header of a recording that begins with this sample.

    GPUs are named as the driver of this machine names them. Where it does not know one of them, as in a simulation,
    the recording says that no real GPU was proved.
    """
    versions = model.versions
    told = RecordedVersions(
        gpucluster=versions.gpucluster if versions else None,
        dask=versions.distributed if versions else None,
        rapids=versions.dask_cuda if versions else None,
    )
    on_gpus = model.has_gpus or any(isinstance(device, str) for device in sample.column("device"))
    names: list[str | None] = []
    driver = None
    if on_gpus:
        host = host_devices()
        driver = host.driver_version
        found = _devices_of(model, sample) or _devices_to_come(model, host.devices)
        names = [_name_of(device, host.devices) for device in found]
    known = [name for name in names if name is not None]
    is_real = bool(known) and len(known) == len(names) and driver is not None
    is_simulated = on_gpus and (not is_real or any(word in name.lower() for name in known for word in _STAND_INS))
    return Recording(
        title=title,
        recorded_at=recorded_at,
        backend="cuda" if on_gpus else "local",
        gpus=known,
        driver=driver,
        n_workers=len(sample.workers),
        versions=told,
        note=note,
        simulated=is_simulated,
    )


def _devices_of(model: ClusterModel, sample: TelemetrySample) -> list[str]:
    """Return UUID, beginning of a UUID or index of each GPU; workers that share one name it once."""
    listed = {worker.name: worker.device for worker in model.workers}
    told = zip(sample.workers, sample.column("device"), strict=False)
    # A worker that has just come has not told its own yet.
    found: Iterable[str] = (str(device or listed.get(name) or "") for name, device in told)
    return list(dict.fromkeys(found))


def _devices_to_come(model: ClusterModel, known: Iterable[DeviceModel]) -> list[str]:
    """Return the GPUs that workers of a cluster that has none now will have: those it was given, or all it may use."""
    chosen = getattr(model.spec, "devices", None)
    if chosen is not None:
        return [str(device) for device in chosen]
    return [device.uuid for device in known if device.visible and not device.mig_enabled]


def _name_of(device: str, known: Iterable[DeviceModel]) -> str | None:
    for one in known:
        if device and (one.uuid.startswith(device) or device == str(one.index)):
            name = " ".join("".join(letter for letter in one.name or "" if letter.isprintable()).split())
            return name[:_MOST_LETTERS] or None
    return None
