"""Kernels of this package, compiled for the CPU and launched on arrays of NumPy.

Replaces CuPy where kernels are compiled and launched. Like CuPy, it keeps one function for the same source and options,
and refuses more shared memory than that function was allowed.
"""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

HERE = Path(__file__).parent
N_PROCESSORS = 3  # Of the emulated GPU, so that several blocks of threads share the rows.
DEFAULT_SHARED_BYTES = 48 << 10
CAPABILITY = "90"


class Range(ctypes.Structure):
    """An array of the host, as the emulation has it."""

    _fields_: ClassVar = [("begin", ctypes.c_void_p), ("n_bytes", ctypes.c_size_t)]


class Function:
    """A kernel that was compiled, with what it may have."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        self.most_shared_bytes = DEFAULT_SHARED_BYTES


class CuPy:
    """The part of CuPy that `gpucluster.learn.kernels.on_gpu.cuda` uses. `folder`: for compiled kernels."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._libraries: dict[tuple[str, tuple[str, ...]], ctypes.CDLL] = {}
        self._functions: dict[tuple[int, str, tuple[str, ...]], Function] = {}
        self.launches = 0
        self.current = 0
        self.used: set[int] = set()
        self.where: dict[int, int] = {}
        """On which GPU arrays are, by their ``id``; others are on the first one."""
        self.blocks_at_once = 2
        """Of each of its processors, whatever they need."""
        driver = SimpleNamespace(occupancyMaxActiveBlocksPerMultiprocessor=lambda *_: self.blocks_at_once)
        self.cuda = SimpleNamespace(Device=lambda number: Device(self, number), driver=driver)

    def RawKernel(self, code: str, name: str, options: tuple[str, ...] = ()) -> Kernel:  # noqa: N802  (CuPy's name)
        """Return a kernel; it is compiled once it is needed."""
        return Kernel(self, code, name, options)

    def asarray(self, values: Any) -> Any:
        """Return an array on the current GPU."""
        return np.asarray(values)

    def function(self, code: str, name: str, options: tuple[str, ...]) -> Function:
        """Return the current GPU's function of a source with its options, compiled at the first call."""
        if (code, options) not in self._libraries:
            folder = self._folder / f"{name}-{len(self._libraries)}"
            folder.mkdir(parents=True)
            source, library = folder / "kernel.cpp", folder / "kernel.so"
            source.write_text(
                f'#include "{HERE / "emulation.hpp"}"\n{code}\n'
                'extern "C" const char* launch(\n'
                "    int n_blocks, int n_threads, std::size_t n_bytes, void** arguments, Range* given, int n_given) {\n"
                "    arrays.assign(given, given + n_given);\n"
                f"    return launch_all({name}, n_blocks, n_threads, n_bytes, arguments);\n}}\n",
                encoding="utf-8",
            )
            macros = [option for option in options if option.startswith("-D")]
            command = ["g++", "-std=c++17", "-O1", "-pthread", "-shared", "-fPIC", "-Wno-unknown-pragmas", *macros]
            subprocess.run([*command, str(source), "-o", str(library)], check=True, timeout=120)
            self._libraries[code, options] = ctypes.CDLL(str(library))
            self._libraries[code, options].launch.restype = ctypes.c_char_p
        key = self.current, code, options
        return self._functions.setdefault(key, Function(self._libraries[code, options]))


class Device:
    """One of the GPUs, as CuPy has them."""

    attributes: ClassVar = {"MultiProcessorCount": N_PROCESSORS, "MaxSharedMemoryPerBlockOptin": 232448}
    compute_capability = CAPABILITY

    def __init__(self, cupy: CuPy, number: int) -> None:
        self._cupy, self._number = cupy, number

    def __enter__(self) -> Device:
        self._before, self._cupy.current = self._cupy.current, self._number
        return self

    def __exit__(self, *_: object) -> None:
        self._cupy.current = self._before


class Kernel:
    """As CuPy's."""

    def __init__(self, cupy: CuPy, code: str, name: str, options: tuple[str, ...]) -> None:
        self._cupy, self._given = cupy, (code, name, options)

    def compile(self) -> None:
        """Compile now what would be compiled later."""
        self._cupy.function(*self._given)

    @property
    def kernel(self) -> SimpleNamespace:
        """The function, which has an address."""
        return SimpleNamespace(ptr=id(self._cupy.function(*self._given)))

    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        """Of the function, whichever kernel set it last."""
        return self._cupy.function(*self._given).most_shared_bytes

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, n_bytes: int) -> None:
        self._cupy.function(*self._given).most_shared_bytes = n_bytes

    def __call__(self, grid: tuple[int], block: tuple[int], arguments: tuple[Any, ...], *, shared_mem: int = 0) -> None:
        """Run all threads of all blocks, and return when they have ended."""
        function = self._cupy.function(*self._given)
        if shared_mem > function.most_shared_bytes:
            raise RuntimeError("CUDA_ERROR_INVALID_VALUE: invalid argument")
        self._cupy.launches += 1
        self._cupy.used.add(self._cupy.current)
        held = [_pointed(each) for each in arguments]
        pointers = (ctypes.c_void_p * len(held))(*(ctypes.addressof(each) for each in held))
        arrays = [Range(each.ctypes.data, each.nbytes) for each in arguments if isinstance(each, np.ndarray)]
        given = (Range * len(arrays))(*arrays)
        size = ctypes.c_size_t(shared_mem)
        wrong = function.library.launch(grid[0], block[0], size, pointers, given, len(arrays))
        assert not wrong, wrong.decode()


def _pointed(value: Any) -> Any:
    """Return an argument as C has it; what it points to is held by the caller."""
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous
        return ctypes.c_void_p(value.ctypes.data)
    types = {np.uintp: ctypes.c_void_p, np.int64: ctypes.c_int64, np.int32: ctypes.c_int32}
    return types[type(value)](int(value))
