"""The GPUs of a host, and dask-cuda's workers on them. The source is sent to the agent there, like the agent's own.

The driver is queried in a separate process: workers are forked from the agent's, which must not have used the driver.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import warnings
from typing import Any

PATIENCE_SECONDS = 20.0
_LIST = """
import json, pynvml as nvml
from contextlib import suppress
def text(value):
    return value.decode() if isinstance(value, bytes) else value
def describe(handle, **more):
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
            found.append(describe(handle, index=index))
            continue
        for number in range(nvml.nvmlDeviceGetMaxMigDeviceCount(handle)):
            with suppress(nvml.NVMLError):
                part = nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, number)
                found.append(describe(part, parent_uuid=text(nvml.nvmlDeviceGetUUID(handle))))
print(json.dumps(found))
"""


def gpus() -> list[dict[str, Any]]:
    """Return the GPUs and MIG slices that may be used here, those with most free memory first."""
    # Without nvidia-ml-py there is no dask-cuda either; nvidia-smi is enough to know that there are GPUs.
    found = _by_library() if importlib.util.find_spec("pynvml") is not None else _by_program()
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        names = [name.strip() for name in visible.split(",") if name.strip()]
        found = [gpu for gpu in found if any(_is(gpu, name) for name in names)]
    return sorted(found, key=lambda gpu: gpu.get("memory_used_bytes", 0) > 2**30)


def _is(gpu: dict[str, Any], name: str) -> bool:
    return str(gpu.get("index")) == name or (not name.isdigit() and gpu["uuid"].startswith(name))


def _by_library() -> list[dict[str, Any]]:
    try:
        found: list[dict[str, Any]] = json.loads(_output_of(sys.executable, "-P", "-c", _LIST))
    except ValueError:
        return []
    return found


def _by_program() -> list[dict[str, Any]]:
    printed = _output_of(shutil.which("nvidia-smi") or "nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader")
    uuids = [line.strip() for line in printed.splitlines() if line.strip().startswith("GPU-")]
    return [{"uuid": uuid, "index": index} for index, uuid in enumerate(uuids)]


def _output_of(*command: str) -> str:
    """Return the output of a program; nothing if it is missing or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


def missing(modules: list[str]) -> list[str]:
    """Return the modules that cannot be found here; only packages that contain them are imported."""
    return [name for name in modules if not _there(name)]


def _there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def prepare() -> None:
    """Import what starts workers, after the process from which they are forked was started."""
    import dask
    import dask_cuda  # noqa: F401

    dask.config.set({"cudf-spill-warning": False})  # The scheduler has no data frames.


def make_nanny(device: str, gpu: dict[str, Any], scheduler: str, **options: Any) -> Any:
    """Return the nanny of a worker on a GPU, as dask-cuda makes it; further options as of ``distributed.Nanny``."""
    import dask_cuda.worker_common as common
    from dask_cuda import CUDAWorker

    original = common.get_cpu_affinity

    def forgiving(device: Any) -> list[int]:
        # If the driver does not know which processors are near a GPU, dask-cuda fails on its own warning.
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
    # On by default, so it must not prevent workers without RMM from starting.
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
