"""Kernels in CUDA C++, one file each beside this one: compiled by CuPy for the columns at hand, and launched."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, Dtype, array_namespace_of, is_of_numpy

logger = logging.getLogger("gpucluster.learn")

MOST_SHARED_BYTES = 99 << 10  # Of shared memory for one block of threads: all GPUs since 2020 have so much.
COPIED_BYTES = 256 << 20  # Of a table that kernels cannot read as it is, so much at once.
ALIGNED_BYTES = 16  # So much kernels read at once.
TILE = 8  # Columns that tensor cores multiply at once.
MOST_AHEAD = 8  # Turns of a warp whose rows are under way to it, at most.
OLDEST = 80  # Compute capability, times ten: since then, GPUs copy to shared memory while threads do something else.


class Real(NamedTuple):
    """A type that kernels take."""

    name: str
    n_bytes: int
    largest: str  # The largest number.


REALS = {
    "float32": Real("float", 4, "3.4028234e38f"),
    "float64": Real("double", 8, "1.7976931348623157e308"),
}


class Launch(NamedTuple):
    """How a kernel is launched."""

    name: str  # Of the kernel, and of its file.
    macros: tuple[tuple[str, str | int], ...]  # What it is compiled for.
    n_threads: int  # Of a block of threads.
    shared_bytes: int  # Of a block of threads.

    def value(self, macro: str) -> Any:
        """Return what a macro stands for."""
        return dict(self.macros)[macro]


def are_taken(X: Array) -> bool:
    """Whether kernels take a table: of CuPy, of floating-point numbers, on a GPU for which they can be compiled."""
    return not is_of_numpy(X) and X.dtype.name in REALS and can_be_compiled(device_of(X))


def agrees(name: str, number: int, is_right: Callable[[], bool]) -> bool:
    """Whether a kernel computes an example as NumPy does, on a GPU that nobody may have tried it on.

    ``is_right`` computes the example, with GPU ``number`` as the current one.
    """
    try:
        with device(number):
            found = is_right()
    except Exception as error:  # CuPy's, NVRTC's or the driver's, whatever is wrong
        logger.warning("The kernel %r does not run on GPU %d, so slower ones of CuPy are used: %s", name, number, error)
        return False
    if not found:
        logger.warning("The kernel %r computes wrongly on GPU %d, so slower ones of CuPy are used.", name, number)
    return found


def to_gpu(values: Array) -> Array:
    """Return an array of this computer's memory on the current GPU."""
    import cupy

    return cupy.asarray(values)


def device_of(X: Array) -> int:
    found: Any = X
    return int(found.device.id)


def device(number: int) -> Any:
    """Return what makes a GPU the current one of this thread, for a ``with``: kernels run on that one."""
    import cupy

    return cupy.cuda.Device(number)


def pieces(X: Array, n_rows: int) -> Iterator[tuple[slice, Array]]:
    """Yield the rows of a table on a GPU, at most so many at once, such that kernels can read them.

    Tables that are not row after row in memory from a round address, such as views, are copied, a piece at a time.
    """
    is_plain = X.flags.c_contiguous and is_aligned(X)
    step = n_rows if is_plain else max(1, min(n_rows, COPIED_BYTES // (X.shape[1] * X.dtype.itemsize)))
    for start in range(0, len(X), step):
        part = slice(start, min(start + step, len(X)))
        yield part, X[part] if is_plain else X[part].copy(order="C")


def is_aligned(X: Array) -> bool:
    found: Any = X
    return int(found.data.ptr) % ALIGNED_BYTES == 0


def n_blocks_for(launch: Launch, n_tiles: int, number: int) -> int:
    """Return a number of blocks of threads: as many as that GPU works on at once, and at most one per tile."""
    return max(1, min(n_tiles, _blocks_at_once(launch, number)))


def run(launch: Launch, n_blocks: int, number: int, arguments: Sequence[Any]) -> None:
    """Launch a kernel with so many blocks of threads on the current GPU; it may not have ended when this returns.

    Arguments are arrays on the GPU, numbers of NumPy, and ``None`` for null.
    """
    kernel = _compiled(launch.name, launch.macros, number)
    given = tuple(np.uintp(0) if each is None else each for each in arguments)
    kernel((n_blocks,), (launch.n_threads,), given, shared_mem=launch.shared_bytes)


def tiles_of(n_features: int, n_bytes: int) -> tuple[int, int]:
    """Return how many columns a thread reads at once, and how many tiles of columns there are: as few as can be.

    A thread has one column of each tile, and those that it reads at once are of different ones.
    """
    steps = [step for step in (4, 2, 1) if step * n_bytes <= ALIGNED_BYTES and n_features % step == 0]
    tiles = {step: -(-n_features // (TILE * step)) * step for step in steps}
    best = min(steps, key=lambda step: (tiles[step], -step))
    return best, tiles[best]


def turns_ahead(n_bytes: int, of_a_turn: int) -> int:
    """Return how many turns' rows are under way while one is computed: about so many bytes, two turns at least."""
    return min(MOST_AHEAD, max(2, n_bytes // of_a_turn))


def on_device(values: Array | None, like: Array, dtype: Dtype) -> Array | None:
    """Return an array beside another one, row after row; ``None`` stays."""
    xp = array_namespace_of(like)
    return None if values is None else xp.ascontiguousarray(xp.asarray(values, dtype=dtype))


@cache
def _blocks_at_once(launch: Launch, number: int) -> int:
    """Return how many blocks of threads a GPU works on at once: registers and shared memory limit them."""
    import cupy

    at_once = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor
    with device(number) as gpu:
        function = _compiled(launch.name, launch.macros, number).kernel.ptr
        each = int(at_once(function, launch.n_threads, launch.shared_bytes))
        return int(gpu.attributes["MultiProcessorCount"]) * max(1, each)


@cache
def can_be_compiled(number: int) -> bool:
    """Whether kernels can be compiled for a GPU; without CUDA's compiler, CuPy has none."""
    import cupy

    gpu = device(number)
    if int(gpu.compute_capability) < OLDEST or gpu.attributes["MaxSharedMemoryPerBlockOptin"] < MOST_SHARED_BYTES:
        return False
    try:
        with gpu:
            cupy.RawKernel('extern "C" __global__ void nothing() {}', "nothing").compile()
    except Exception as error:  # CuPy's, NVRTC's or the loader's, whatever is missing
        logger.warning("CUDA kernels cannot be compiled, so slower ones of CuPy are used: %s", error)
        return False
    return True


@cache
def _compiled(name: str, macros: tuple[tuple[str, str | int], ...], number: int) -> Any:
    """Return a kernel that may have all the shared memory there is, as launches of one kernel differ in what they need.

    For each GPU, which is the current one, CuPy keeps one function of CUDA for the same source and options, whoever
    asks: what is set of one is set of all.
    """
    import cupy

    options = ("-std=c++17", *(f"-D{macro}={value}" for macro, value in macros))
    kernel = cupy.RawKernel(source_of(name), name, options=options)
    with device(number):
        kernel.max_dynamic_shared_size_bytes = MOST_SHARED_BYTES
    return kernel


@cache
def source_of(name: str) -> str:
    """Return the text of a kernel, with what it uses."""
    here = Path(__file__)
    return "".join(here.with_name(file).read_text(encoding="utf-8") for file in ("device.cuh", f"{name}.cu"))
