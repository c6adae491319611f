"""CUDA's compiler accepts the kernels for each supported kind of GPU; no GPU is needed."""

from __future__ import annotations

import re

import numpy as np
import pytest
from gpucluster.learn.kernels.on_gpu import cuda, lloyd, moments
from gpucluster.learn.kernels.on_gpu.cuda import Launch

nvrtc = pytest.importorskip("cuda.bindings.nvrtc", reason="NVRTC is in the second environment: make cuda-tests")

FLOAT, DOUBLE = np.dtype("float32"), np.dtype("float64")
PASSES = {
    "sums": {"summed": True, "shifted": True, "weighted": False, "apart": False},
    "all": {"summed": True, "shifted": True, "weighted": True, "apart": True},
    "distances": {"summed": False, "shifted": False, "weighted": False, "apart": True},
}
LAUNCHES = {
    **{f"k-means, {name}": lloyd.launch_for(FLOAT, 32, 16, **wanted) for name, wanted in PASSES.items()},
    "most columns for few clusters": lloyd.launch_for(FLOAT, 64, 32, **PASSES["sums"]),
    "labels of many clusters": lloyd.launch_for(FLOAT, 32, 190, **PASSES["distances"]),
    "most clusters": lloyd.launch_for(FLOAT, 7, 256, **PASSES["sums"]),
    "too many for tensor cores": lloyd.launch_for(FLOAT, 100, 20, **PASSES["all"]),
    "k-means of float64": lloyd.launch_for(DOUBLE, 5, 3, **PASSES["all"]),
    "PCA": moments.launch_for(FLOAT, 32, FLOAT, weighted=False),
    "truncated SVD": moments.launch_for(FLOAT, 32, DOUBLE, weighted=False),
    "PCA of many columns": moments.launch_for(FLOAT, 64, FLOAT, weighted=True),
    "PCA of float64": moments.launch_for(DOUBLE, 63, DOUBLE, weighted=True),
}
"""The launches that are most likely to fail: the most registers, odd numbers of columns."""


def compiled(launch: Launch, architecture: str) -> str:
    """Compile a kernel, and return the compiler's log."""
    source = cuda.source_of(launch.name).encode()
    options = [b"-std=c++17", b"--ptxas-options=-v", f"--gpu-architecture={architecture}".encode()]
    options += [f"-D{macro}={value}".encode() for macro, value in launch.macros]
    _, program = nvrtc.nvrtcCreateProgram(source, b"kernel.cu", 0, [], [])
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    _, size = nvrtc.nvrtcGetProgramLogSize(program)
    log = b" " * size
    nvrtc.nvrtcGetProgramLog(program, log)
    assert status == nvrtc.nvrtcResult.NVRTC_SUCCESS, log.decode()
    return log.decode()


@pytest.mark.parametrize("name", LAUNCHES)
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_120"])
def test_compiled_by_cuda(name: str, architecture: str) -> None:
    launch = LAUNCHES[name]
    log = compiled(launch, architecture)
    used = re.search(r"Used (\d+) registers", log)
    assert used, log
    assert int(used[1]) * launch.n_threads <= 65536, "a multiprocessor has no more registers"
    assert launch.shared_bytes <= cuda.MOST_SHARED_BYTES
    if architecture == "sm_90" and name in {"k-means, sums", "PCA", "truncated SVD"}:
        assert " 0 bytes spill stores" in log, "the sums are spilled to memory"
