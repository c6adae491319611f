"""Which devices ``CUDA_VISIBLE_DEVICES`` allows."""

from __future__ import annotations

from collections.abc import Sequence

from ..protocol.models import DeviceModel

_NONE = {"", "-1", "nodevfiles"}


def visible_uuids(devices: Sequence[DeviceModel], setting: str | None) -> set[str]:
    """Return the UUIDs that the setting allows, as CUDA reads it.

    Parameters
    ----------
    devices : sequence of DeviceModel
        Every GPU and MIG slice of this machine.
    setting : str or None
        Value of the variable; ``None`` when it is not set, which allows all. CUDA ignores everything after the first
        entry that names no device. A UUID may be shortened. A GPU brings its MIG slices with it.
    """
    if setting is None:
        return {device.uuid for device in devices}
    if setting.strip().lower() in _NONE:
        return set()
    allowed: set[str] = set()
    for entry in setting.split(","):
        found = [device for device in devices if _names(entry.strip(), device)]
        if len(found) != 1:
            break
        allowed.add(found[0].uuid)
        allowed |= {device.uuid for device in devices if device.parent_uuid == found[0].uuid}
    return allowed


def _names(entry: str, device: DeviceModel) -> bool:
    if entry.isdigit():
        return device.index == int(entry)
    return entry.startswith(("GPU-", "MIG-")) and len(entry) > 4 and device.uuid.startswith(entry)
