"""The options of GPU workers on this machine."""

from __future__ import annotations

from functools import partial
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from ...protocol.machine_spec import Device, GPUSpec, ScratchSpec
from ...protocol.spec_base import Interface, WorkerCountOrZero, number_of_workers
from ..spec_fields import advanced, option

_advanced = partial(advanced, "Network")


class CudaSpec(GPUSpec, ScratchSpec):
    """One worker per GPU on this machine (dask-cuda)."""

    backend: Literal["cuda"] = Field("cuda", title="Kind", description="One worker per GPU of this machine.")
    n_workers: WorkerCountOrZero | None = number_of_workers("one per GPU")
    devices: list[Device] | None = option(
        "GPUs",
        "GPUs",
        None,
        "GPUs to use, by index or UUID ('GPU-…', 'MIG-…'). Default: all visible ones, idle ones first.",
    )
    wait_in_line: bool = advanced(
        "GPUs",
        "Queue for GPUs",
        True,
        "If the site assigns GPU slots and none is free: wait in the queue; otherwise fail immediately.",
    )
    protocol: Literal["unix", "tls", "tcp", "ucx"] = _advanced(
        "Network",
        "unix",
        "'unix' opens no port: sockets in a private folder let only you connect. 'tls' encrypts, for programs without "
        "gpucluster. 'ucx' (NVLink, InfiniBand) and 'tcp' are open: anyone who can reach the address can run code as "
        "you.",
    )
    interface: Interface | None = _advanced(
        "Network interface",
        None,
        "Interface of this machine that the cluster listens on, such as 'ib0': for UCX, and for workers on other "
        "machines. Default: this machine only, or the one that leads to them.",
    )
    enable_tcp_over_ucx: bool | None = _advanced("TCP over UCX", None, "Whether UCX uses TCP. Default: UCX decides.")
    enable_infiniband: bool | None = _advanced("InfiniBand", None, "Whether UCX uses InfiniBand. Default: UCX decides.")
    enable_nvlink: bool | None = _advanced("NVLink", None, "Whether UCX uses NVLink. Default: UCX decides.")
    enable_rdmacm: bool | None = _advanced(
        "RDMA connection manager", None, "Whether UCX uses RDMACM. Default: UCX decides."
    )

    @field_validator("devices")
    @classmethod
    def _devices(cls, value: list[int | str] | None) -> list[int | str] | None:
        if value is None:
            return None
        if not value:
            raise ValueError("must name at least one GPU; leave it empty for all")
        if len(set(value)) != len(value):
            raise ValueError("names a GPU twice; one worker per GPU")
        return value

    @model_validator(mode="after")
    def _combinations(self) -> Self:
        switches = ("enable_tcp_over_ucx", "enable_infiniband", "enable_nvlink", "enable_rdmacm")
        chosen = [name for name in switches if getattr(self, name) is not None]
        if chosen and self.protocol != "ucx":
            raise ValueError(f"{chosen[0]} needs protocol 'ucx'")
        if self.enable_nvlink and self.rmm_managed_memory:
            raise ValueError("enable_nvlink and rmm_managed_memory exclude each other; choose one")
        if self.interface is not None and self.protocol in {"unix", "tls"}:
            raise ValueError(
                f"interface is for protocol 'ucx' or 'tcp'; with '{self.protocol}' the cluster stays on this machine"
            )
        if self.devices is not None and self.n_workers is not None and self.n_workers > len(self.devices):
            raise ValueError(
                f"n_workers is {self.n_workers} but only {len(self.devices)} GPUs are named; one worker per GPU"
            )
        if self.devices is not None and len({isinstance(device, str) for device in self.devices}) > 1:
            raise ValueError("devices must be all indices or all UUIDs, not a mixture")
        return self
