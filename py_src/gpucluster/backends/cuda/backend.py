"""The backend ``cuda``: one worker per GPU, or per MIG slice, of this machine.

Workers are forked like CPU workers. The process they are forked from imports RAPIDS before the first one, and has no
CUDA context, which would be broken in every worker (``supervisor/process/preloading.py``). Each worker imports
dask-cuda itself.

GPUs are chosen at once, or in a queue if the site assigns slots. Much is checked before the start, because dask-cuda
itself reports a missing module, a failed RMM pool or too many workers late: as a running cluster without workers, or
with a scheduler left behind.
"""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import psutil

from ...devices.host import host_devices
from ...devices.selection import describe, probe_gpu, refused_devices, select_devices
from ...operating_system.sockets import seconds_since_boot
from ...protocol.errors import NoUsableDevice, PreflightFailed, StartFailed
from ...protocol.models import DeviceModel, GPUSlot, HostDevices, Network
from ...protocol.plain_text import counted
from ...protocol.spec import SpecBase
from ...protocol.traits import Traits
from ...sharing.claims import ClaimedMeanwhile, Line, NodeClaims, StillQueued
from ...sharing.node import DEFAULT, GPUPolicy
from ..backend import Backend, Claims, Plan, RemainingShare, StartContext
from ..deployment import Deployment
from ..workers import bounded_by_open_files, host_memory_limit, protocol_option, shared_machine, worker_options
from .memory import DeviceMemory, explain, memory_options, resolve_memory
from .spec import CudaSpec, check_packages, check_platform, importable, refused

if TYPE_CHECKING:
    from distributed import SpecCluster


MIG = "MIG slice (isolated by the hardware)"
COOPERATIVE = "{} (cooperative: the limit is not enforced)"
WHOLE = "whole GPU (not enforced: other programs can use it too)"


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
    require_enough(spec.n_workers or 0, given_out(host_devices(), spec, policy))
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
        raise refused_devices(f"{describe(reserved)} is reserved at this site; choose another, or omit 'devices'.")
    if not devices:
        raise refused_devices("All GPUs on this machine are reserved at this site; use CPU workers (kind 'local').")
    return devices


def require_enough(n_workers: int, devices: Sequence[DeviceModel]) -> None:
    """Refuse more workers than devices. Raises `PreflightFailed`."""
    if n_workers > len(devices):
        usable = counted(len(devices), "GPU" if devices[0].parent_uuid is None else "MIG slice")
        raise refused(
            "n_workers",
            f"n_workers is {n_workers}, but only {usable} can be used here; each worker needs its own. Request "
            f"{len(devices)} or fewer.",
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
        raise refused("rmm_log_directory", f"{directory} is not writable; choose another directory.")
    status = os.stat(directory)
    if status.st_uid != os.getuid() or status.st_mode & 0o022:
        # Log files have predictable names, under which others could put links.
        raise refused("rmm_log_directory", f"Other users can write to {directory}; choose one that only you can.")


class DeviceChoice:
    """The choice of one cluster, which may have to wait."""

    def __init__(self, spec: CudaSpec, claims: Claims | None, left: RemainingShare | None = None) -> None:
        self._spec = spec
        self._left = left or RemainingShare()
        self._claims = claims
        self._policy = claims.policy if claims is not None else DEFAULT
        self._line: Line | None = None

    def make(self, host: HostDevices | None = None) -> Chosen:
        """Choose and claim. Raises `StillQueued`: none is free, try again in a second; else waiting would not help."""
        host = host or host_devices()
        if isinstance(self._claims, NodeClaims):
            self._require_share(self._claims)
            if self._policy.slots is not None:
                return self._make_in_line(host, self._claims)
        while True:
            with self._claims.choosing() if self._claims is not None else nullcontext({}) as taken:
                devices = given_out(host, self._spec, self._policy, taken)
                if self._spec.devices is None:
                    devices = devices[: self._share_left()]
                    if self._spec.n_workers is None:
                        devices = devices[: self._left.lowered(self._spec, len(devices))]
                n_workers = len(devices) if self._spec.n_workers is None else self._spec.n_workers
                require_enough(n_workers, devices)
                if self._claims is None:
                    return Chosen(devices, n_workers)
                with suppress(ClaimedMeanwhile):
                    self._claims.claim(device.uuid for device in devices[:n_workers])
                    return Chosen(devices, n_workers)

    def slots(self) -> tuple[GPUSlot, ...]:
        """Return the claimed slots, if the site assigns slots."""
        if not isinstance(self._claims, NodeClaims) or self._policy.slots is None:
            return ()
        devices = {device.uuid: device for device in host_devices().devices}
        return tuple(self._slot(devices[uuid], mark) for uuid, mark in self._claims.held if uuid in devices)

    def leave(self) -> None:
        if self._line is not None:
            self._line.leave()

    def _make_in_line(self, host: HostDevices, claims: NodeClaims) -> Chosen:
        named = {device.uuid: device for device in host.devices}
        devices = given_out(host, self._spec, self._policy)
        chosen = self._spec.devices is not None
        count = self._spec.n_workers or (len(devices) if chosen else 1)
        require_enough(count, devices)
        if self._line is None:
            parents = {device.parent_uuid for device in host.devices}
            parts = {
                device.uuid: self._policy.parts(device)
                for device in host.devices
                if device.uuid not in parents and self._policy.gives(device, named.get(device.parent_uuid or ""))
            }
            self._line = Line(claims, parts)
        ends = seconds_since_boot() + self._policy.lifetime if self._policy.lifetime is not None else None
        # CUDA_VISIBLE_DEVICES may hide some of the GPUs.
        some = chosen or len(devices) < len(self._line.parts)
        self._line.take([device.uuid for device in devices], count, chosen=some, ends=ends)
        mine = [named[uuid] for uuid, _ in claims.held]
        return Chosen(mine, count if self._spec.n_workers is None else self._spec.n_workers)

    def _slot(self, device: DeviceModel, mark: str) -> GPUSlot:
        parts = self._policy.parts(device)
        number = (int(mark) - 1) % parts + 1 if mark.isdecimal() and parts > 1 else None
        # If all numbers are taken, the mark of the claim is not a number.
        slot = f"slot {number} of {parts}" if number is not None else f"one of {parts} slots"
        label = MIG if device.parent_uuid is not None else COOPERATIVE.format(slot) if parts > 1 else WHOLE
        memory = device.memory_total_bytes // parts if device.memory_total_bytes else None
        return GPUSlot(uuid=device.uuid, index=device.index, slot=number, slots=parts, memory_bytes=memory, label=label)

    def _share_left(self) -> int | None:
        most = self._policy.per_user
        if most is None or not isinstance(self._claims, NodeClaims):
            return None
        return max(0, most - self._claims.look().held_by(os.getuid()))

    def _require_share(self, claims: NodeClaims) -> None:
        """Refuse more than the site allows one user."""
        wanted = self._spec.n_workers or len(self._spec.devices or ()) or 1
        if (fault := self._policy.fault(wanted, claims.look().held_by(os.getuid()))) is not None:
            raise NoUsableDevice(fault)


LINE_SECONDS = 1.0  # Interval at which a cluster in the queue checks whether it is its turn.


class CudaBackend(Backend[CudaSpec]):
    """GPU workers of this machine."""

    name: ClassVar[str] = "cuda"
    title: ClassVar[str] = "GPU"
    spec: ClassVar[type[SpecBase]] = CudaSpec
    traits: ClassVar[Traits] = Traits(has_gpus=True, needs_host_check=True)

    async def preflight(self, spec: CudaSpec, context: StartContext) -> Plan:
        """Choose the devices and resolve all sizes; refuse what cannot work."""
        context.report("preflight", "Checking the GPUs")
        if spec.protocol != "tls" and context.security is not None:
            # UCX ignores credentials silently.
            raise PreflightFailed(f"protocol '{spec.protocol}' cannot be encrypted; use 'unix' or 'tls'.")
        policy = context.claims.policy if context.claims is not None else DEFAULT
        await asyncio.to_thread(examine, spec, policy)
        choice = DeviceChoice(spec, context.claims, context.left)
        chosen = await _chosen(choice, spec, context)
        parts = max(policy.parts(device) for device in chosen.devices)
        memory = await asyncio.to_thread(resolve_memory, spec, chosen.devices, chosen.n_workers, parts=parts)
        most = len(chosen.devices)
        kind = "MIG slice" if all(device.parent_uuid for device in chosen.devices) else "GPU"
        reason = f"this cluster has {counted(most, kind)}, one worker each"
        maximum, reason = bounded_by_open_files(chosen.n_workers, most, reason)
        machine = shared_machine()
        memory_limit = host_memory_limit(spec.memory_limit, machine, workers=most)
        memory_limit = context.left.memory_limit(spec, memory_limit, chosen.n_workers or most)
        return Plan(
            n_workers=chosen.n_workers,
            maximum_workers=maximum,
            maximum_reason=reason,
            network=Network.of(spec.protocol),
            options=constructor_options(spec, chosen, memory, memory_limit=memory_limit),
            machine=machine,
            threads_per_worker=spec.threads_per_worker,
            memory_limit_bytes=memory_limit,
            slots=await asyncio.to_thread(choice.slots),
        )

    async def start(self, plan: Plan, context: StartContext) -> Deployment:
        context.report("import", "Loading dask-cuda")
        # In a thread: these imports take seconds, and this process must answer meanwhile.
        if plan.options["enable_cudf_spill"]:
            await asyncio.to_thread(importlib.import_module, "cudf")
        from ..spec_deployment import SpecDeployment

        module = await asyncio.to_thread(importlib.import_module, "gpucluster.backends.cuda.cluster")

        def make(**options: Any) -> SpecCluster:
            try:
                cluster: SpecCluster = module.DeviceCluster(**options, **plan.options)
            except module.DEVICE_ERRORS as error:
                raise StartFailed(
                    f"A GPU became unusable after the check ({error}). Check the list of GPUs or nvidia-smi, and try "
                    "again."
                ) from error
            return cluster

        why = partial(explain, options=plan.options)
        # dask-cuda names workers after their devices.
        return await SpecDeployment.start(make, plan, context, workers_are_devices=True, explain=why)


async def _chosen(choice: DeviceChoice, spec: CudaSpec, context: StartContext) -> Chosen:
    try:
        while True:
            try:
                return await asyncio.to_thread(choice.make)
            except StillQueued as place:
                if not spec.wait_in_line:
                    raise NoUsableDevice(
                        f"No GPU is free, and wait_in_line=False. {place}. 'gpucluster node' shows who uses them."
                    ) from None
                context.report("line", str(place))
            await asyncio.sleep(LINE_SECONDS)
    finally:
        choice.leave()


def constructor_options(spec: CudaSpec, chosen: Chosen, memory: DeviceMemory, *, memory_limit: int) -> dict[str, Any]:
    """Return every argument that follows from the spec. All sizes are bytes, all devices UUIDs."""
    return {
        "CUDA_VISIBLE_DEVICES": [device.uuid for device in chosen.devices],
        "n_workers": chosen.n_workers,
        "threads_per_worker": spec.threads_per_worker,
        "memory_limit": memory_limit or None,
        **memory_options(spec, memory),
        **protocol_option(spec.protocol),
        # With no interface, distributed listens on 127.0.0.1 only.
        **({"interface": spec.interface} if spec.interface is not None else {}),
        "enable_tcp_over_ucx": spec.enable_tcp_over_ucx,
        "enable_infiniband": spec.enable_infiniband,
        "enable_nvlink": spec.enable_nvlink,
        "enable_rdmacm": spec.enable_rdmacm,
        # On by default, so it must not prevent workers without RMM from starting.
        "rmm_track_allocations": spec.rmm_track_allocations and importable("rmm"),
        **worker_options(spec),
    }
