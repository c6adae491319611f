"""Checks before a GPU cluster is started.

dask-cuda itself reports a missing module, a failed RMM pool or too many workers late: as a running cluster without
workers, or with a scheduler left behind.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import psutil

from ...devices.host import host_devices
from ...devices.probe import probe_gpu
from ...devices.selection import describe, refused_devices, select_devices
from ...protocol.errors import NoUsableDevice
from ...protocol.models import DeviceModel, HostDevices
from ...protocol.plain_text import counted
from ...sharing.policy import DEFAULT, GPUPolicy
from .packages import check_packages, check_platform, refused
from .spec import CudaSpec


class Chosen(NamedTuple):
    """Devices of a cluster, claimed for it."""

    devices: list[DeviceModel]  # Every device the cluster may ever use, the first to be used first.
    n_workers: int  # How many it begins with.


def examine(spec: CudaSpec, policy: GPUPolicy = DEFAULT) -> None:
    """Check everything that does not depend on which GPUs are free. Blocks until CUDA answers."""
    check_platform()
    probe = probe_gpu()
    if not probe.usable and not (spec.devices and probe.code == "hidden"):
        raise NoUsableDevice(probe.reason)
    must_be_enough(spec.n_workers or 0, given_out(host_devices(), spec, policy))
    check_packages(spec)
    if spec.interface is not None and spec.interface not in (interfaces := psutil.net_if_addrs()):
        raise refused(
            "interface",
            f"This machine has no network interface '{spec.interface}'; it has {', '.join(sorted(interfaces))}.",
        )
    _check_log_directory(spec)


def given_out(
    host: HostDevices, spec: CudaSpec, policy: GPUPolicy, taken: Mapping[str, int] | None = None
) -> list[DeviceModel]:
    """Return the devices that this cluster may use, the best first."""
    named = {device.uuid: device for device in host.devices}

    def is_given(device: DeviceModel) -> bool:
        return policy.gives(device, named.get(device.parent_uuid or ""))

    one = policy.slots is not None and (spec.n_workers or 1) == 1
    chosen = select_devices(host, spec.devices, taken=taken or {}, slices_too=one)
    devices = [device for device in chosen if is_given(device)]
    if spec.devices is not None and len(devices) < len(chosen):
        reserved = next(device for device in chosen if not is_given(device))
        raise refused_devices(f"{describe(reserved)} is reserved at this site; choose another, or leave 'devices' out.")
    if not devices:
        raise refused_devices("All GPUs on this machine are reserved at this site; ask for CPU workers (kind 'local').")
    return devices


def must_be_enough(n_workers: int, devices: Sequence[DeviceModel]) -> None:
    """Refuse more workers than devices. Raises `PreflightFailed`."""
    if n_workers > len(devices):
        usable = counted(len(devices), "GPU" if devices[0].parent_uuid is None else "MIG slice")
        raise refused(
            "n_workers",
            f"n_workers is {n_workers} but only {usable} can be used here; each worker needs its own. "
            f"Ask for {len(devices)} or fewer.",
        )


def _check_log_directory(spec: CudaSpec) -> None:
    directory = spec.rmm_log_directory
    if directory is None:
        return
    if not spec.allocates_with_rmm():
        raise refused("rmm_log_directory", "rmm_log_directory needs rmm_pool_size, rmm_async or rmm_managed_memory.")
    if not os.path.isdir(directory):
        raise refused("rmm_log_directory", f"The directory {directory} does not exist; create it first.")
    if not os.access(directory, os.W_OK | os.X_OK):
        raise refused("rmm_log_directory", f"You may not write to {directory}; choose one of your own directories.")
    status = os.stat(directory)
    if status.st_uid != os.getuid() or status.st_mode & 0o022:
        # Log files have predictable names, under which others could put links.
        raise refused("rmm_log_directory", f"Others may write to {directory}; choose a directory that is yours alone.")
