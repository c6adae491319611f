"""The kind ``auto``: GPU workers if there is a usable GPU, otherwise CPU workers, and why."""

from __future__ import annotations

import asyncio
from typing import ClassVar, Literal

from pydantic import Field

from ..devices.host import host_devices
from ..devices.selection import GPUProbe, probe_gpu, select_devices
from ..protocol.capacity import DEFAULT_CPU_WORKERS
from ..protocol.errors import NoUsableDevice
from ..protocol.spec_base import SpecBase, WorkerCountOrZero, number_of_workers
from ..protocol.traits import Traits
from .backend import Chooser
from .cuda.spec import GPU_EXTRA, CudaSpec, importable, queues_for_gpus
from .local import HostSpec, LocalSpec


class AutoSpec(HostSpec):
    """GPU workers if there is a usable GPU, otherwise CPU workers."""

    backend: Literal["auto"] = Field(
        "auto", title="Kind", description="GPU workers if there is a usable GPU, otherwise CPU workers."
    )
    n_workers: WorkerCountOrZero | None = number_of_workers("one per GPU, or one per core up to four on CPU")
    wait_in_line: bool = queues_for_gpus()


class AutoBackend(Chooser[AutoSpec]):
    """GPU workers if there is a usable GPU, otherwise CPU workers."""

    name: ClassVar[str] = "auto"
    title: ClassVar[str] = "GPU or CPU"
    spec: ClassVar[type[SpecBase]] = AutoSpec
    traits: ClassVar[Traits] = Traits(
        needs_host_check=True, chooses=("cuda", "local"), default_workers=DEFAULT_CPU_WORKERS
    )

    async def choose(self, spec: AutoSpec) -> tuple[SpecBase, str]:
        probe = await asyncio.to_thread(probe_gpu)
        devices = 0
        if probe.usable:
            try:
                devices = len(select_devices(await asyncio.to_thread(host_devices)))
            except NoUsableDevice as error:
                probe = GPUProbe(False, error.message, error.code)
        return decide(spec, probe, devices=devices, dask_cuda=importable("dask_cuda"))


def decide(spec: AutoSpec, probe: GPUProbe, *, devices: int, dask_cuda: bool) -> tuple[CudaSpec | LocalSpec, str]:
    """Return what to start on a machine with this probe and number of devices, with or without dask-cuda."""
    options = spec.model_dump(exclude={"backend"}, exclude_unset=True)
    why = probe.reason
    if probe.usable and not dask_cuda:
        why = (
            "This machine has a GPU, but dask-cuda is not installed: clusters use CPU workers. To use the GPU, run "
            f"{GPU_EXTRA}."
        )
    elif probe.usable and spec.n_workers is not None and spec.n_workers > devices:
        why = (
            f"{spec.n_workers} workers were requested, but there is one worker per GPU and {devices} can be used: "
            "clusters use CPU workers. To use the GPU, choose the kind 'cuda'."
        )
    elif probe.usable:
        return CudaSpec(**options), why
    return LocalSpec(**{name: value for name, value in options.items() if name in LocalSpec.model_fields}), why
