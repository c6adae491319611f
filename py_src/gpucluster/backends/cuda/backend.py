"""The backend ``cuda``: one worker per GPU, or per MIG slice, of this machine.

Workers are forked like CPU workers. The process they are forked from imports RAPIDS before the first one, and has no
CUDA context, which would be broken in every worker (``supervisor/process/preloading.py``). Each worker imports
dask-cuda itself.
"""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, Any, ClassVar

from ...protocol.errors import NoUsableDevice, PreflightFailed, StartFailed
from ...protocol.models import Network
from ...protocol.plain_text import counted
from ...protocol.spec import SpecBase
from ...protocol.traits import Traits
from ...sharing.claims import InLine
from ...sharing.node import DEFAULT
from ..backend import Backend, Plan, StartContext
from ..deployment import Deployment
from ..host import bounded_by_open_files, host_memory_limit, protocol_option, shared_machine, worker_options
from .choice import Chosen, DeviceChoice, examine
from .memory import DeviceMemory, explain, memory_options, resolve_memory
from .packages import importable
from .spec import CudaSpec

if TYPE_CHECKING:
    from distributed import SpecCluster


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
                    f"A GPU became unusable after it had been checked ({error}). "
                    "Look at the list of GPUs, or run nvidia-smi, and try again."
                ) from error
            return cluster

        return await SpecDeployment.start(
            make,
            plan,
            context,
            workers_are_devices=True,  # dask-cuda names them so
            explain=lambda cause: explain(cause, plan.options),
        )


async def _chosen(choice: DeviceChoice, spec: CudaSpec, context: StartContext) -> Chosen:
    try:
        while True:
            try:
                return await asyncio.to_thread(choice.make)
            except InLine as place:
                if not spec.wait_in_line:
                    raise NoUsableDevice(
                        f"No GPU is free, and wait_in_line=False. {place}. 'gpucluster node' shows the users."
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
