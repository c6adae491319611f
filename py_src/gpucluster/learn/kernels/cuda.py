"""Kernels in CUDA C++, one file each beside this one: compiled by CuPy for the columns at hand, and launched."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, Dtype, array_namespace_of, is_of_numpy

logger = logging.getLogger("gpucluster.learn")

MOST_SHARED_BYTES = 99 << 10
"""Of shared memory for one block of threads: all GPUs since 2020 have so much, and newer ones room for two."""
BLOCKS_PER_PROCESSOR = 16
THREADS_PER_PROCESSOR = 2048
ALIGNED_BYTES = 16
"""So much kernels read at once."""
OLDEST = 80
"""Compute capability, times ten: since then, GPUs copy to shared memory while threads do something else."""


class Real(NamedTuple):
    """A type that kernels take."""

    name: str
    n_bytes: int
    largest: str
    """The largest number."""


REALS = {
    "float32": Real("float", 4, "3.4028234e38f"),
    "float64": Real("double", 8, "1.7976931348623157e308"),
}


class Launch(NamedTuple):
    """How a kernel is launched."""

    name: str
    """Of the kernel, and of its file."""
    macros: tuple[tuple[str, str | int], ...]
    """What it is compiled for."""
    n_threads: int
    """Of a block of threads."""
    shared_bytes: int
    """Of a block of threads."""


def are_taken(X: Array) -> bool:
    """Whether kernels take a table as it is: of CuPy, of floating-point numbers, row after row."""
    return not is_of_numpy(X) and X.dtype.name in REALS and X.flags.c_contiguous and is_aligned(X) and are_compiled()


def is_aligned(X: Array) -> bool:
    """Whether an array on a GPU begins where kernels can read it, as all do but some views."""
    found: Any = X
    return int(found.data.ptr) % ALIGNED_BYTES == 0


def n_blocks_for(launch: Launch, n_tiles: int) -> int:
    """Return a number of blocks of threads: as many as the GPU works on at once, and at most one per tile."""
    resident = min(
        BLOCKS_PER_PROCESSOR,
        max(1, THREADS_PER_PROCESSOR // launch.n_threads),
        max(1, 2 * MOST_SHARED_BYTES // max(1, launch.shared_bytes)),
    )
    return max(1, min(n_tiles, n_processors() * resident))


def run(launch: Launch, n_blocks: int, arguments: Sequence[Any]) -> None:
    """Launch a kernel; it may not have ended when this returns.

    Parameters
    ----------
    launch : Launch
    n_blocks : int
        Of threads.
    arguments : sequence
        Arrays on the GPU, numbers of NumPy, and ``None`` for null.
    """
    kernel = _compiled(launch.name, launch.macros)
    given = tuple(np.uintp(0) if each is None else each for each in arguments)
    kernel((n_blocks,), (launch.n_threads,), given, shared_mem=launch.shared_bytes)


def on_device(values: Array | None, like: Array, dtype: Dtype) -> Array | None:
    """Return an array beside another one, row after row; ``None`` stays."""
    xp = array_namespace_of(like)
    return None if values is None else xp.ascontiguousarray(xp.asarray(values, dtype=dtype))


@cache
def n_processors() -> int:
    """Return how many multiprocessors the GPU has."""
    import cupy

    return int(cupy.cuda.Device().attributes["MultiProcessorCount"])


@cache
def are_compiled() -> bool:
    """Whether kernels can be compiled for this GPU; without CUDA's compiler, CuPy has none."""
    import cupy

    device = cupy.cuda.Device()
    if int(device.compute_capability) < OLDEST or device.attributes["MaxSharedMemoryPerBlockOptin"] < MOST_SHARED_BYTES:
        return False
    try:
        cupy.RawKernel('extern "C" __global__ void nothing() {}', "nothing").compile()
    except Exception as error:  # CuPy's, NVRTC's or the loader's, whatever is missing
        logger.warning("CUDA kernels cannot be compiled, so slower ones of CuPy are used: %s", error)
        return False
    return True


@cache
def _compiled(name: str, macros: tuple[tuple[str, str | int], ...]) -> Any:
    """Return a kernel that may have all the shared memory there is, as launches of one kernel differ in what they need.

    CuPy keeps one function of CUDA for the same source and options, whoever asks: what is set of one is set of all.
    """
    import cupy

    options = ("-std=c++17", *(f"-D{macro}={value}" for macro, value in macros))
    kernel = cupy.RawKernel(source_of(name), name, options=options)
    kernel.max_dynamic_shared_size_bytes = MOST_SHARED_BYTES
    return kernel


@cache
def source_of(name: str) -> str:
    """Return the text of a kernel."""
    return Path(__file__).with_name(f"{name}.cu").read_text(encoding="utf-8")
