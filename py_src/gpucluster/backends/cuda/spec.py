"""The options of GPU workers on this machine."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from ...protocol.gpu_spec import Device, GPUSpec
from ...protocol.machine_spec import ScratchSpec
from ...protocol.spec_base import Interface, WorkerCountOrZero, number_of_workers, shown_in


class CudaSpec(GPUSpec, ScratchSpec):
    """One worker per GPU on this machine (dask-cuda)."""

    backend: Literal["cuda"] = Field("cuda", title="Kind", description="One worker per GPU of this machine.")
    n_workers: WorkerCountOrZero | None = number_of_workers("one per GPU")
    devices: list[Device] | None = Field(
        None,
        title="GPUs",
        description="GPUs to use, by index or UUID ('GPU-…', 'MIG-…'). Default: all visible ones, idle ones first.",
        json_schema_extra=shown_in("GPUs"),
    )
    wait_in_line: bool = Field(
        True,
        title="Queue for GPUs",
        description="If the site assigns GPU slots and none is free: wait in the queue; otherwise fail at once.",
        json_schema_extra=shown_in("GPUs", advanced=True),
    )
    protocol: Literal["unix", "tls", "tcp", "ucx"] = Field(
        "unix",
        title="Network",
        description="'unix' opens no port: sockets in a private folder let only you connect. 'tls' encrypts, for "
        "programs without gpucluster. 'ucx' (NVLink, InfiniBand) and 'tcp' are open: anyone who can reach the address "
        "can run code as you.",
        json_schema_extra=shown_in("Network", advanced=True),
    )
    interface: Interface | None = Field(
        None,
        title="Network interface",
        description="Interface of this machine that the cluster listens on, such as 'ib0': for UCX, and for workers on "
        "other machines. Default: this machine only, or the one that leads to them.",
        json_schema_extra=shown_in("Network", advanced=True),
    )
    enable_tcp_over_ucx: bool | None = Field(
        None, title="TCP over UCX", description="Whether UCX uses TCP. Default: UCX decides.",
        json_schema_extra=shown_in("Network", advanced=True),
    )  # fmt: skip
    enable_infiniband: bool | None = Field(
        None, title="InfiniBand", description="Whether UCX uses InfiniBand. Default: UCX decides.",
        json_schema_extra=shown_in("Network", advanced=True),
    )  # fmt: skip
    enable_nvlink: bool | None = Field(
        None, title="NVLink", description="Whether UCX uses NVLink. Default: UCX decides.",
        json_schema_extra=shown_in("Network", advanced=True),
    )  # fmt: skip
    enable_rdmacm: bool | None = Field(
        None, title="RDMA connection manager", description="Whether UCX uses RDMACM. Default: UCX decides.",
        json_schema_extra=shown_in("Network", advanced=True),
    )  # fmt: skip

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
        switches = {
            "enable_tcp_over_ucx": self.enable_tcp_over_ucx, "enable_infiniband": self.enable_infiniband,
            "enable_nvlink": self.enable_nvlink, "enable_rdmacm": self.enable_rdmacm,
        }  # fmt: skip
        chosen = [name for name, value in switches.items() if value is not None]
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
