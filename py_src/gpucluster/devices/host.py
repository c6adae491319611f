"""The GPUs, memory and cores of this machine as models, whatever the state of the driver."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import psutil

from ..operating_system.resources import bounded, usable_processors
from ..protocol.capacity import Machine
from ..protocol.models import DeviceModel, HostDevices
from ..protocol.plain_text import counted
from .nvml import CPU_WORKERS, HIDES_ALL, NOT_SUPPORTED, NVMLCallFailed, NVMLSession, NVMLUnavailable, Troubles
from .processes import NameOfPid, Owners, device_processes

_SESSION = NVMLSession()
_TROUBLES = Troubles(_SESSION)
_TEMPERATURE_OF_GPU = 0


def host_devices(
    clusters: NameOfPid | None = None, *, notebooks: NameOfPid | None = None, workers: NameOfPid | None = None
) -> HostDevices:
    """Read this machine's GPUs, MIG slices included. Never raises for anything a driver does.

    ``clusters``, ``notebooks`` and ``workers`` give the name of the cluster, the path of the notebook and the name of
    the worker that a process id belongs to; ids of supervisors and kernels are enough. The result has a message for
    users, even if there is no GPU.
    """
    setting = os.environ.get("CUDA_VISIBLE_DEVICES")
    try:
        devices = _read_all(_SESSION, Owners(clusters or {}, notebooks or {}, workers or {}))
    except NVMLUnavailable as error:
        return _host(False, error.code, error.message)
    allowed = visible_uuids(devices, setting)
    _TROUBLES.look()
    devices = [_TROUBLES.added_to(device.model_copy(update={"visible": device.uuid in allowed})) for device in devices]
    code, message = _verdict(devices, setting)
    driver = _SESSION.soft("nvmlSystemGetDriverVersion")
    return _host(code == "ok", code, message, driver_version=driver, devices=devices)


def usable(device: DeviceModel) -> bool:
    """Whether a worker could run on this device: visible, readable and not divided into slices."""
    return device.visible and device.error is None and not device.mig_enabled


def idle(device: DeviceModel) -> bool:
    """Whether this device seems unused. A driver keeps a few hundred MiB for itself."""
    used, total = device.memory_used_bytes or 0, device.memory_total_bytes or 0
    return not device.processes and used <= max(total // 20, 600 * 2**20)


def _read_all(session: NVMLSession, owners: Owners) -> list[DeviceModel]:
    try:
        count = session.call("nvmlDeviceGetCount")
        devices: list[DeviceModel] = []
        for index in range(count):
            devices += _read_gpu(session, index, owners)
        return devices
    except NVMLCallFailed as error:
        raise NVMLUnavailable.of(error.number, error.text) from None


def _read_gpu(session: NVMLSession, index: int, owners: Owners) -> list[DeviceModel]:
    """Return a GPU and, if it is divided, its slices."""
    try:
        handle = session.call("nvmlDeviceGetHandleByIndex", index)
        uuid = session.call("nvmlDeviceGetUUID", handle)
    except NVMLCallFailed as error:
        if error.session_lost:
            raise
        # A lost GPU reports nothing, not even its UUID, but must be shown as missing.
        return [DeviceModel(uuid=f"GPU-unreadable-{index}", index=index, error=error.sentence)]
    mode = session.soft("nvmlDeviceGetMigMode", handle)
    divided = bool(mode and mode[0])
    gpu = _read_device(
        session,
        handle,
        uuid,
        owners,
        index=index,
        mig_enabled=divided,
        power_watts=_watts(session.soft("nvmlDeviceGetPowerUsage", handle)),
        power_limit_watts=_watts(session.soft("nvmlDeviceGetEnforcedPowerLimit", handle)),
        temperature_celsius=_number(session.soft("nvmlDeviceGetTemperature", handle, _TEMPERATURE_OF_GPU)),
    )
    return [gpu, *(_read_slices(session, handle, uuid, owners) if divided else [])]


def _read_slices(session: NVMLSession, parent: Any, parent_uuid: str, owners: Owners) -> list[DeviceModel]:
    slices = []
    for number in range(session.soft("nvmlDeviceGetMaxMigDeviceCount", parent) or 0):
        handle = session.soft("nvmlDeviceGetMigDeviceHandleByIndex", parent, number)
        uuid = handle and session.soft("nvmlDeviceGetUUID", handle)
        if uuid:
            slices.append(_read_device(session, handle, uuid, owners, parent_uuid=parent_uuid))
    return slices


def _read_device(session: NVMLSession, handle: Any, uuid: str, owners: Owners, **fields: Any) -> DeviceModel:
    total = used = reserved = error = None
    try:
        total, used, reserved = session.memory(handle)
    except NVMLCallFailed as failed:
        if failed.session_lost:
            raise
        # Systems on a chip have no separate memory; anything else is a fault.
        error = None if failed.number == NOT_SUPPORTED else failed.sentence
    rates = session.soft("nvmlDeviceGetUtilizationRates", handle)
    return DeviceModel(
        uuid=uuid,
        name=session.soft("nvmlDeviceGetName", handle),
        memory_total_bytes=total,
        memory_used_bytes=used,
        memory_reserved_bytes=reserved,
        utilization_percent=None if rates is None else float(rates.gpu),
        error=error,
        processes=device_processes(session, handle, owners),
        **fields,
    )


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _watts(milliwatts: Any) -> float | None:
    return float(milliwatts) / 1000 if isinstance(milliwatts, (int, float)) else None


def _verdict(devices: Sequence[DeviceModel], setting: str | None) -> tuple[str, str]:
    """Return code and message for a machine whose NVML answers."""
    if not devices:
        return "no_devices", f"The NVIDIA driver is loaded but finds no GPU: {CPU_WORKERS}."
    good = [device for device in devices if usable(device)]
    if good:
        slices = sum(device.parent_uuid is not None for device in good)
        gpus = len(good) - slices
        kinds = [counted(gpus, "GPU")] * bool(gpus) + [counted(slices, "MIG slice")] * bool(slices)
        free = sum(idle(device) for device in good)
        return "ok", f"{' and '.join(kinds)} can be used, {free} of them idle." if len(good) > 1 else (
            f"{kinds[0]} can be used; it is {'idle' if free else 'in use'}."
        )
    if not any(device.visible for device in devices):
        return "hidden", f"CUDA_VISIBLE_DEVICES={setting!r} hides all GPUs: {CPU_WORKERS}."
    faults = [device.error for device in devices if device.visible and device.error]
    if faults:
        return "error", f"{faults[0]} There is no other GPU: {CPU_WORKERS}."
    no_slices = f"The GPUs are in MIG mode but have no slices: {CPU_WORKERS}. Ask an administrator to create slices."
    return "no_devices", no_slices


def _host(available: bool, code: str, message: str, **fields: Any) -> HostDevices:
    memory = psutil.virtual_memory()
    return HostDevices(
        available=available,
        code=code,
        message=message,
        host_memory_total_bytes=memory.total,
        host_memory_available_bytes=memory.available,
        cpu_count=len(usable_processors()),
        **fields,
    )


def visible_uuids(devices: Sequence[DeviceModel], setting: str | None) -> set[str]:
    """Return the UUIDs that a value of ``CUDA_VISIBLE_DEVICES`` allows, as CUDA reads it; ``None`` allows all.

    CUDA ignores everything after the first entry that names no device. A UUID may be shortened. A GPU brings its MIG
    slices with it.
    """
    if setting is None:
        return {device.uuid for device in devices}
    if setting.strip().lower() in HIDES_ALL:
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


def this_machine() -> Machine:
    """Return what this process may use of the machine, or of its control group if that allows less."""
    memory, cores = bounded(psutil.virtual_memory().total, float(len(usable_processors())))
    return Machine(memory_bytes=memory, cores=max(1, math.floor(cores)))
