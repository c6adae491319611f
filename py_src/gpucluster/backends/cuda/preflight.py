"""Everything that can be checked before a GPU cluster is started.

dask-cuda itself reports a missing module, a failed RMM pool or too many workers late and badly: as a running
cluster with no workers, or with a scheduler left behind.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import psutil

from ...devices.host import host_devices
from ...devices.probe import probe_gpu
from ...devices.selection import select_devices
from ...protocol.errors import FieldError, NoUsableDevice, PreflightFailed
from ...protocol.models import DeviceModel
from ...protocol.spec import CudaSpec
from ..backend import Claims
from .memory import DeviceMemory, resolve_memory
from .packages import allocates_with_rmm, check_packages, check_platform


@dataclass(frozen=True)
class Checked:
    """What a cluster will use: all checked, nothing started."""

    devices: tuple[DeviceModel, ...]
    """Every device the cluster may ever use, the first to be used first."""
    n_workers: int
    memory: DeviceMemory

    @property
    def maximum_reason(self) -> str:
        """Why there are no more workers than devices, as the end of a sentence."""
        slices = all(device.parent_uuid for device in self.devices)
        kind = "MIG slice" if slices else "GPU"
        return f"this cluster has {len(self.devices)} {kind}{'s' * (len(self.devices) != 1)}, one worker each"


def check(spec: CudaSpec, claims: Claims | None = None) -> Checked:
    """Check a spec against this machine and environment. Blocks for as long as CUDA takes to answer.

    Parameters
    ----------
    spec : CudaSpec
    claims : Claims, optional
        Where the chosen devices are claimed, for the workers to start with.

    Raises
    ------
    PreflightFailed
        With the real cause and what to do.
    """
    check_platform()
    probe = probe_gpu()
    if not probe.usable and not (spec.devices and probe.code == "hidden"):
        raise NoUsableDevice(probe.reason)
    host = host_devices()
    with claims.choosing() if claims is not None else nullcontext(frozenset()) as taken:
        devices = select_devices(host, spec.devices, taken=taken)
        n_workers = len(devices) if spec.n_workers is None else spec.n_workers
        if n_workers > len(devices):
            raise _refused("n_workers", _too_many(n_workers, devices))
        if claims is not None:
            claims.claim(device.uuid for device in devices[:n_workers])
    check_packages(spec)
    _check_network(spec)
    _check_log_directory(spec)
    return Checked(tuple(devices), n_workers, resolve_memory(spec, devices, n_workers))


def _too_many(n_workers: int, devices: Sequence[DeviceModel]) -> str:
    count = len(devices)
    there = (
        f"only {count} GPU{'s' * (count != 1)} can be used"
        if devices[0].parent_uuid is None
        else (f"only {count} MIG slice{'s' * (count != 1)} can be used")
    )
    return f"n_workers is {n_workers} but {there} here; each worker needs its own. Ask for {count} or fewer."


def _check_network(spec: CudaSpec) -> None:
    if spec.interface is not None and spec.interface not in (interfaces := psutil.net_if_addrs()):
        raise _refused(
            "interface",
            f"This machine has no network interface '{spec.interface}'; it has {', '.join(sorted(interfaces))}.",
        )


def _check_log_directory(spec: CudaSpec) -> None:
    directory = spec.rmm_log_directory
    if directory is None:
        return
    if not allocates_with_rmm(spec):
        raise _refused("rmm_log_directory", "rmm_log_directory needs rmm_pool_size, rmm_async or rmm_managed_memory.")
    if not os.path.isdir(directory):
        raise _refused("rmm_log_directory", f"The directory {directory} does not exist; create it first.")
    if not os.access(directory, os.W_OK | os.X_OK):
        raise _refused("rmm_log_directory", f"You may not write to {directory}; choose a directory of your own.")
    status = os.stat(directory)
    if status.st_uid != os.getuid() or status.st_mode & 0o022:
        # Log files have names that others could guess and put links under.
        raise _refused("rmm_log_directory", f"Others may write to {directory}; choose a directory that is yours alone.")


def _refused(option: str, message: str) -> PreflightFailed:
    return PreflightFailed(message, fields=[FieldError(field=option, message=message)])
