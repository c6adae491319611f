"""``LocalCUDACluster`` with corrections. Importing this imports dask-cuda."""

from typing import Any

import pynvml
from dask_cuda import LocalCUDACluster

from ...dask_internals.other_packages import affinity_of_any_device, visible_devices
from ...dask_internals.spec_cluster import WaitsForScheduler, planned, remove_from_plan
from ...protocol.errors import InvalidRequest
from ..environment import given_variables

DEVICE_ERRORS = (pynvml.NVMLError, ValueError)  # What dask-cuda lets through when NVML fails or loses a device.


class DeviceCluster(WaitsForScheduler, LocalCUDACluster):  # type: ignore[misc]
    """``LocalCUDACluster`` that uses devices in the order given and refuses more workers than devices."""

    cuda_visible_devices: list[str]

    def __init__(self, *args: Any, n_workers: int, **options: Any) -> None:
        # LocalCUDACluster cannot begin without workers; they are only made when the cluster is awaited.
        super().__init__(*args, n_workers=max(1, n_workers), **options)
        if not n_workers:
            remove_from_plan(self, planned(self))

    def new_worker_spec(self) -> dict[str, Any]:
        """Return the next worker, on the first device without one."""
        devices = self.cuda_visible_devices
        free = [device for device in devices if device not in planned(self)]
        if not free:
            raise InvalidRequest(self._too_many(len(devices) + 1))
        # LocalCUDACluster would choose the free device whose name sorts first.
        self.cuda_visible_devices = free[:1]
        try:
            with affinity_of_any_device():
                spec: dict[str, Any] = super().new_worker_spec()
        finally:
            self.cuda_visible_devices = devices
        spec[free[0]]["options"]["env"] = {
            **given_variables(),
            # Its own device first; the others stay visible, because transfers between GPUs need to see both.
            "CUDA_VISIBLE_DEVICES": visible_devices(devices.index(free[0]), devices),
            "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
            # A forked worker does not see what dask-cuda sets in this process.
            "RAPIDS_NO_INITIALIZE": "True",
        }
        return spec

    def scale(self, n: int = 0, memory: Any = None, cores: Any = None) -> Any:
        """Scale to ``n`` workers. Too many are refused before anything changes; dask-cuda changes half the plan."""
        if n > len(self.cuda_visible_devices):
            raise InvalidRequest(self._too_many(n))
        return super().scale(n, memory=memory, cores=cores)

    def adapt(self, *args: Any, minimum: int = 0, maximum: float | None = None, **options: Any) -> Any:
        """Adapt within bounds; without a maximum, up to the number of devices."""
        most = len(self.cuda_visible_devices)
        if maximum is None or maximum == float("inf"):
            maximum = most
        if max(minimum, maximum) > most:
            # dask-cuda would try to start the missing workers forever.
            raise InvalidRequest(self._too_many(int(max(minimum, maximum))))
        return super().adapt(*args, minimum=minimum, maximum=maximum, **options)

    def _too_many(self, wanted: int) -> str:
        count = len(self.cuda_visible_devices)
        return f"{wanted} workers are not possible: this cluster has {count} GPU{'s' * (count != 1)}, one worker each."
