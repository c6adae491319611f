"""Compile and launch the CUDA C++ kernels beside this file with CuPy, for a given number of columns."""

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, Dtype, array_namespace_of, is_of_numpy

logger = logging.getLogger("gpucluster.learn")

MOST_SHARED_BYTES = 99 << 10  # Shared memory of one block of threads, which all GPUs since 2020 have.
COPIED_BYTES = 256 << 20  # Copied at once of a table that kernels cannot read directly.
ALIGNED_BYTES = 16  # Bytes that kernels read at once.
TILE = 8  # Columns that tensor cores multiply at once.
MOST_AHEAD = 8  # Most turns of a warp whose rows are prefetched.
OLDEST = 80  # Compute capability, times ten, from which on GPUs copy to shared memory asynchronously.


class Real(NamedTuple):
    """A number type of the kernels."""

    name: str
    n_bytes: int
    largest: str  # The largest number.


REALS = {"float32": Real("float", 4, "3.4028234e38f"), "float64": Real("double", 8, "1.7976931348623157e308")}


class Launch(NamedTuple):
    """How a kernel is launched."""

    name: str  # Of the kernel, and of its file.
    macros: tuple[tuple[str, str | int], ...]  # Of the compilation.
    n_threads: int  # Of a block of threads.
    shared_bytes: int  # Of a block of threads.

    def value(self, macro: str) -> Any:
        return dict(self.macros)[macro]


def macros(**values: str | int) -> tuple[tuple[str, str | int], ...]:
    """Return macros by their names; switches as 0 or 1."""
    return tuple((name, value if isinstance(value, str) else int(value)) for name, value in values.items())


def are_taken(X: Array) -> bool:
    """Whether kernels support a table: a CuPy array of floating-point numbers on a GPU they can be compiled for."""
    return not is_of_numpy(X) and X.dtype.name in REALS and can_be_compiled(device_of(X))


def agrees(name: str, number: int, is_right: Callable[[], bool]) -> bool:
    """Whether a kernel agrees with NumPy on an example; the GPU may be a model that the kernel was never tested on.

    ``is_right`` computes the example, with GPU ``number`` as the current one.
    """
    try:
        with device(number):
            found = is_right()
    except Exception as error:  # Any error of CuPy, NVRTC or the driver.
        logger.warning("The kernel %r does not run on GPU %d, so slower CuPy kernels are used: %s", name, number, error)
        return False
    if not found:
        logger.warning("The kernel %r gives wrong results on GPU %d, so slower CuPy kernels are used.", name, number)
    return found


def to_gpu(values: Array) -> Array:
    import cupy

    return cupy.asarray(values)


def device_of(X: Array) -> int:
    found: Any = X
    return int(found.device.id)


def device(number: int) -> Any:
    """Return a context manager that makes a GPU the current one of this thread, on which kernels run."""
    import cupy

    return cupy.cuda.Device(number)


def pieces(X: Array, n_rows: int) -> Iterator[tuple[slice, Array]]:
    """Yield pieces of at most ``n_rows`` rows on a GPU, copied where not C-contiguous and aligned, as views."""
    is_plain = X.flags.c_contiguous and is_aligned(X)
    step = n_rows if is_plain else max(1, min(n_rows, COPIED_BYTES // (X.shape[1] * X.dtype.itemsize)))
    for start in range(0, len(X), step):
        part = slice(start, min(start + step, len(X)))
        yield part, X[part] if is_plain else X[part].copy(order="C")


def is_aligned(X: Array) -> bool:
    found: Any = X
    return int(found.data.ptr) % ALIGNED_BYTES == 0


def n_blocks_for(launch: Launch, n_tiles: int, number: int) -> int:
    """Return the number of blocks of threads: as many as the GPU runs at once, and at most one per tile."""
    return max(1, min(n_tiles, _blocks_at_once(launch, number)))


def run(launch: Launch, n_blocks: int, number: int, arguments: Sequence[Any]) -> None:
    """Launch a kernel with ``n_blocks`` blocks of threads on the current GPU; it may still run when this returns.

    Arguments are arrays on the GPU, NumPy scalars, and ``None`` for null.
    """
    kernel = _compiled(launch.name, launch.macros, number)
    given = tuple(np.uintp(0) if each is None else each for each in arguments)
    kernel((n_blocks,), (launch.n_threads,), given, shared_mem=launch.shared_bytes)


def tiles_of(n_features: int, n_bytes: int) -> tuple[int, int]:
    """Return the number of columns that a thread reads at once, and the smallest possible number of tiles of columns.

    A thread has one column of each tile; those that it reads at once belong to different tiles.
    """
    steps = [step for step in (4, 2, 1) if step * n_bytes <= ALIGNED_BYTES and n_features % step == 0]
    tiles = {step: -(-n_features // (TILE * step)) * step for step in steps}
    best = min(steps, key=lambda step: (tiles[step], -step))
    return best, tiles[best]


def turns_ahead(n_bytes: int, of_a_turn: int) -> int:
    """Return the number of turns to prefetch while one is computed: about ``n_bytes``, and at least two turns."""
    return min(MOST_AHEAD, max(2, n_bytes // of_a_turn))


def on_device(values: Array | None, like: Array, dtype: Dtype) -> Array | None:
    """Return a C-contiguous array on the device of another one; ``None`` stays ``None``."""
    xp = array_namespace_of(like)
    return None if values is None else xp.ascontiguousarray(xp.asarray(values, dtype=dtype))


@cache
def _blocks_at_once(launch: Launch, number: int) -> int:
    """Return how many blocks of threads a GPU runs at once, which registers and shared memory limit."""
    import cupy

    at_once = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor
    with device(number) as gpu:
        function = _compiled(launch.name, launch.macros, number).kernel.ptr
        each = int(at_once(function, launch.n_threads, launch.shared_bytes))
        return int(gpu.attributes["MultiProcessorCount"]) * max(1, each)


@cache
def can_be_compiled(number: int) -> bool:
    """Whether kernels can be compiled for a GPU; CuPy needs CUDA's compiler."""
    import cupy

    gpu = device(number)
    if int(gpu.compute_capability) < OLDEST or gpu.attributes["MaxSharedMemoryPerBlockOptin"] < MOST_SHARED_BYTES:
        return False
    try:
        with gpu:
            cupy.RawKernel('extern "C" __global__ void nothing() {}', "nothing").compile()
    except Exception as error:  # Any error of CuPy, NVRTC or the loader.
        logger.warning("CUDA kernels cannot be compiled, so slower CuPy kernels are used: %s", error)
        return False
    return True


@cache
def _compiled(name: str, macros: tuple[tuple[str, str | int], ...], number: int) -> Any:
    """Return a kernel that may use the maximum of shared memory, because its launches need different amounts.

    For each GPU, CuPy caches one CUDA function for the same source and options, so attributes hold for all its users.
    """
    import cupy

    options = ("-std=c++17", *(f"-D{macro}={value}" for macro, value in macros))
    kernel = cupy.RawKernel(source_of(name), name, options=options)
    with device(number):
        kernel.max_dynamic_shared_size_bytes = MOST_SHARED_BYTES
    return kernel


@cache
def source_of(name: str) -> str:
    here = Path(__file__)
    return "".join(here.with_name(file).read_text(encoding="utf-8") for file in ("device.cuh", f"{name}.cu"))
