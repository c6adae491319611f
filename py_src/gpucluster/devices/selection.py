"""Check that CUDA can use a GPU, and choose devices: the requested ones, or all that can be used, idle ones first."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ..protocol.errors import FieldError, NoUsableDevice
from ..protocol.models import DeviceModel, HostDevices
from .host import host_devices, idle, usable
from .nvml import CPU_WORKERS

_PROGRAM = """
import ctypes, sys
try:
    cuda = ctypes.CDLL("libcuda.so.1")
except OSError:
    sys.exit("no_library")
count = ctypes.c_int()
code = cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(count))
print(code, count.value)
"""
_CUDA_CODES = {
    34: "only a stub of the CUDA driver is installed",
    46: "all GPUs are busy or faulty",
    100: "the CUDA driver finds no GPU",
    101: "the CUDA driver finds no GPU with that number",
    802: "the system is not ready; its fabric manager may not be running",
    803: "the CUDA driver and the kernel's driver have different versions",
    804: "the CUDA compatibility package does not support this GPU",
    999: "the CUDA driver failed without giving a reason; restarting the machine may help",
}


@dataclass(frozen=True)
class GPUProbe:
    """Whether a GPU can be used, and why."""

    usable: bool
    reason: str
    code: str  # ``ok``, a code of ``HostDevices``, or ``no_cuda``, ``cuda_error``, ``timeout``.
    device_count: int = 0  # Devices that CUDA sees.


def probe_gpu(*, timeout_seconds: float = 30.0) -> GPUProbe:
    """Look for GPUs with NVML, then test in a separate process if CUDA can use them."""
    host = host_devices()
    if not host.available:
        return GPUProbe(False, host.message, host.code)
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _PROGRAM],
            check=False,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=timeout_seconds,
        )
    except subprocess.TimeoutExpired:
        return _no("timeout", f"CUDA did not respond within {timeout_seconds:g} seconds")
    except OSError as error:
        return _no("cuda_error", f"CUDA could not be queried ({error.strerror})")
    if "no_library" in done.stderr:
        return _no("no_cuda", "the CUDA driver (libcuda.so.1) is not installed")
    try:
        code, count = (int(word) for word in done.stdout.split())
    except ValueError:
        return _no("cuda_error", "the CUDA driver crashed")
    if code or not count:
        return _no("cuda_error", _CUDA_CODES.get(code or 100, f"the CUDA driver failed with code {code}"))
    return GPUProbe(True, host.message, "ok", count)


def _no(code: str, why: str) -> GPUProbe:
    return GPUProbe(False, f"There is a GPU but it cannot be used, because {why}: {CPU_WORKERS}.", code)


_NOTHING: Mapping[str, int] = MappingProxyType({})


def select_devices(
    host: HostDevices,
    wanted: Sequence[int | str] | None = None,
    *,
    taken: Mapping[str, int] = _NOTHING,
    slices_too: bool = False,
) -> list[DeviceModel]:
    """Return the devices of a cluster, the first to be used first.

    ``wanted`` has indices or UUIDs, taken in this order. Default: all that can be used, idle ones first; MIG slices
    only if there is no whole GPU, because workers on slices cannot exchange data directly, or with ``slices_too``,
    for one worker. ``taken``: UUIDs that are about to be used, however idle they look, and how often. Raises
    `NoUsableDevice`.
    """
    if not host.available and not (wanted and host.devices):
        raise NoUsableDevice(host.message)
    if wanted is not None:
        chosen = [_resolve(host, name) for name in wanted]
        if len({device.uuid for device in chosen}) < len(chosen):
            raise refused_devices("The same GPU is named twice; each worker needs its own.")
        return chosen
    candidates = [device for device in host.devices if usable(device)]
    whole = [device for device in candidates if device.parent_uuid is None]
    if slices_too:
        return sorted(candidates, key=lambda device: (device.parent_uuid is not None, *_busy(device, taken)))
    return sorted(whole or candidates, key=lambda device: _busy(device, taken))


def describe(device: DeviceModel) -> str:
    """Return a short name for messages: ``GPU 0 (NVIDIA A100)``."""
    name = f" ({device.name})" if device.name else ""
    return f"MIG slice {device.uuid[:12]}…{name}" if device.parent_uuid else f"GPU {device.index}{name}"


def _busy(device: DeviceModel, taken: Mapping[str, int]) -> tuple[bool, int, int, float, int]:
    claims = taken.get(device.uuid, 0)
    if idle(device) and not claims:
        # Idle GPUs keep their usual order.
        return False, 0, 0, 0, device.index or 0
    return True, device.memory_used_bytes or 0, claims, device.utilization_percent or 0, device.index or 0


def _resolve(host: HostDevices, name: int | str) -> DeviceModel:
    found = [d for d in host.devices if (d.index if isinstance(name, int) else d.uuid) == name]
    if not found:
        there = ", ".join(str(d.index) for d in host.devices if d.index is not None)
        what = f"There is no GPU {name}" if isinstance(name, int) else f"There is no GPU or MIG slice {name[:60]}"
        raise refused_devices(f"{what} on this machine; it has {there or 'none'}.")
    device = found[0]
    if device.error:
        raise refused_devices(f"{describe(device)} cannot be used. {device.error}")
    if not device.visible:
        raise refused_devices(
            f"{describe(device)} is hidden by CUDA_VISIBLE_DEVICES; choose another, or change that variable."
        )
    if device.mig_enabled:
        slices = [d.uuid for d in host.devices if d.parent_uuid == device.uuid]
        hint = f"choose slices by UUID: {', '.join(slices)}" if slices else "but has none; have slices created"
        raise refused_devices(f"{describe(device)} is divided into MIG slices; {hint}.")
    return device


def refused_devices(message: str) -> NoUsableDevice:
    return NoUsableDevice(message, fields=[FieldError(field="devices", message=message)])
