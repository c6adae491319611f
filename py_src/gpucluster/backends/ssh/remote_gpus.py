"""The GPUs of a host, and dask-cuda's workers on them. The source is sent to the agent there, like the agent's own.

The driver is asked in a process of its own: the agent's is copied for workers, and must not have talked to it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

PATIENCE_SECONDS = 20.0
_LIST = """
import json, pynvml as nvml
from contextlib import suppress
def text(value):
    return value.decode() if isinstance(value, bytes) else value
def tell(handle, **more):
    facts = {"uuid": text(nvml.nvmlDeviceGetUUID(handle)), "name": text(nvml.nvmlDeviceGetName(handle)), **more}
    with suppress(nvml.NVMLError):
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
        facts |= {"memory_total_bytes": memory.total, "memory_used_bytes": memory.used}
    return facts
nvml.nvmlInit()
found = []
for index in range(nvml.nvmlDeviceGetCount()):
    with suppress(nvml.NVMLError):
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
        divided = 0
        with suppress(nvml.NVMLError):
            divided = nvml.nvmlDeviceGetMigMode(handle)[0]
        if not divided:
            found.append(tell(handle, index=index))
            continue
        for number in range(nvml.nvmlDeviceGetMaxMigDeviceCount(handle)):
            with suppress(nvml.NVMLError):
                part = nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, number)
                found.append(tell(part, parent_uuid=text(nvml.nvmlDeviceGetUUID(handle))))
print(json.dumps(found))
"""


def gpus() -> list[dict[str, Any]]:
    """Return the GPUs and MIG slices that may be used here, those with most free memory first."""
    found = _by_library()
    if found is None:
        found = _by_program()
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        names = [name.strip() for name in visible.split(",") if name.strip()]
        found = [gpu for gpu in found if any(_is(gpu, name) for name in names)]
    return sorted(found, key=lambda gpu: gpu.get("memory_used_bytes", 0) > 2**30)


def _is(gpu: dict[str, Any], name: str) -> bool:
    return str(gpu.get("index")) == name or (not name.isdigit() and gpu["uuid"].startswith(name))


def _by_library() -> list[dict[str, Any]] | None:
    """Ask the driver; ``None``: there is no nvidia-ml-py, and so no dask-cuda."""
    if importlib.util.find_spec("pynvml") is None:
        return None
    try:
        asked = [sys.executable, "-P", "-c", _LIST]
        told = subprocess.run(asked, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=True).stdout
        found: list[dict[str, Any]] = json.loads(told)
    except (OSError, ValueError, subprocess.SubprocessError):
        return []
    return found


def _by_program() -> list[dict[str, Any]]:
    """Ask the driver's own program, which tells enough to say that there are GPUs."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    try:
        asked = [program, "--query-gpu=uuid", "--format=csv,noheader"]
        told = subprocess.run(asked, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    uuids = [line.strip() for line in told.splitlines() if line.strip().startswith("GPU-")]
    return [{"uuid": uuid, "index": index} for index, uuid in enumerate(uuids)]


def missing(modules: list[str]) -> list[str]:
    """Return the modules that cannot be found here; none is imported but packages that hold them."""
    return [name for name in modules if not _there(name)]


def _there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def prepare() -> None:
    """Import what starts workers. Only after they have got the process that they are copied from."""
    import dask
    import dask_cuda  # noqa: F401

    dask.config.set({"cudf-spill-warning": False})  # The scheduler has no data frames.


def worker_on(device: str, gpu: dict[str, Any]) -> Callable[..., Any]:
    """Return what makes the nanny of a worker on a GPU, as dask-cuda does; called like ``distributed.Nanny``."""
    return partial(_nanny, device, gpu)


def _nanny(device: str, gpu: dict[str, Any], scheduler: str, **options: Any) -> Any:
    import dask_cuda.worker_common as common
    from dask_cuda import CUDAWorker

    original = common.get_cpu_affinity

    def forgiving(device: Any) -> list[int]:
        # Where the driver does not know which processors are near a GPU, dask-cuda fails on its own warning.
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                near: list[int] = original(device)
        except TypeError:
            near = []
        allowed = os.sched_getaffinity(0)
        return sorted(allowed.intersection(near) or allowed)

    if resources := options.pop("resources", None):
        options["resources"] = ",".join(f"{name}={amount}" for name, amount in resources.items())
    gpu = dict(gpu)
    # On by default, so it must not be what keeps workers without RMM from starting.
    gpu["rmm_track_allocations"] = gpu["rmm_track_allocations"] and not missing(["rmm"])
    before = os.environ.get("CUDA_VISIBLE_DEVICES")
    common.get_cpu_affinity = forgiving
    os.environ["CUDA_VISIBLE_DEVICES"] = device
    try:
        [made] = CUDAWorker(scheduler, dashboard=False, **gpu, **options).nannies
    finally:
        common.get_cpu_affinity = original
        del os.environ["CUDA_VISIBLE_DEVICES"]
        if before is not None:
            os.environ["CUDA_VISIBLE_DEVICES"] = before
    return made
