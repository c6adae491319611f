"""Can CUDA really use a GPU here?

NVML seeing a GPU is not enough: the CUDA driver may be missing from a container, of another version, or wait
for a service. ``cuInit`` finds out, in a short separate process, so that CUDA is not loaded into the caller.
Importing cudf or cuml is not a test: it succeeds without a driver.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

from .host import host_devices
from .nvml import CPU_WORKERS

_PROGRAM = """
import ctypes, sys
try:
    cuda = ctypes.CDLL("libcuda.so.1")
except OSError:
    sys.exit("no_library")
count = ctypes.c_int()
code = cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(count))
print(code, count.value)
"""
_CUDA_CODES = {
    34: "only a stub of the CUDA driver is installed",
    46: "all GPUs are busy or out of order",
    100: "the CUDA driver finds no GPU",
    101: "the CUDA driver finds no GPU with that number",
    802: "the system is not ready; its fabric manager may not run",
    803: "the CUDA driver and the kernel's driver have different versions",
    804: "the CUDA compatibility package does not support this GPU",
    999: "the CUDA driver failed without giving a reason; restarting the machine may help",
}


@dataclass(frozen=True)
class GPUProbe:
    """Whether a GPU can be used, and why."""

    usable: bool
    reason: str
    code: str  # ``ok``, a code of ``HostDevices``, or ``no_cuda``, ``cuda_error``, ``timeout``.
    device_count: int = 0  # Devices that CUDA sees.


def probe_gpu(*, timeout_seconds: float = 30.0) -> GPUProbe:
    """Look for GPUs with NVML, then test in a separate process if CUDA can use them."""
    host = host_devices()
    if not host.available:
        return GPUProbe(False, host.message, host.code)
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _PROGRAM],
            check=False,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=timeout_seconds,
        )
    except subprocess.TimeoutExpired:
        return _no("timeout", f"CUDA did not respond within {timeout_seconds:g} seconds")
    except OSError as error:
        return _no("cuda_error", f"CUDA could not be queried ({error.strerror})")
    if "no_library" in done.stderr:
        return _no("no_cuda", "the CUDA driver (libcuda.so.1) is not installed")
    try:
        code, count = (int(word) for word in done.stdout.split())
    except ValueError:
        return _no("cuda_error", "the CUDA driver crashed")
    if code or not count:
        return _no("cuda_error", _CUDA_CODES.get(code or 100, f"the CUDA driver failed with code {code}"))
    return GPUProbe(True, host.message, "ok", count)


def _no(code: str, why: str) -> GPUProbe:
    return GPUProbe(False, f"There is a GPU but it cannot be used, because {why}: {CPU_WORKERS}.", code)
