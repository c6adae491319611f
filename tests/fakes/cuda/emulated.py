"""Kernels of this package, compiled for the CPU and launched on arrays of NumPy."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from gpucluster.learn.kernels import cuda

HERE = Path(__file__).parent
N_PROCESSORS = 3
"""Of the emulated GPU, so that several blocks of threads share the rows."""


class Emulated:
    """Takes the place of CuPy in `gpucluster.learn.kernels.cuda`.

    Parameters
    ----------
    folder : Path
        For what is compiled.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._libraries: dict[cuda.Launch, Any] = {}

    def compiled(self, launch: cuda.Launch) -> Any:
        """Return what is called as CuPy's kernels are."""
        library = self._libraries.setdefault(launch, None) or self._library(launch)
        self._libraries[launch] = library

        def run(grid: tuple[int], block: tuple[int], arguments: tuple[Any, ...], *, shared_mem: int) -> None:
            held = [_pointed(each) for each in arguments]
            pointers = (ctypes.c_void_p * len(held))(*(ctypes.addressof(each) for each in held))
            library.launch(grid[0], block[0], ctypes.c_size_t(shared_mem), pointers)

        return run

    def _library(self, launch: cuda.Launch) -> Any:
        folder = self._folder / f"{launch.name}-{len(self._libraries)}"
        folder.mkdir(parents=True)
        source = folder / "kernel.cpp"
        source.write_text(
            f'#include "{HERE / "emulation.hpp"}"\n{cuda.source_of(launch.name)}\n'
            'extern "C" void launch(int n_blocks, int n_threads, std::size_t n_bytes, void** arguments) {\n'
            f"    launch_all({launch.name}, n_blocks, n_threads, n_bytes, arguments);\n}}\n",
            encoding="utf-8",
        )
        macros = [f"-D{name}={value}" for name, value in launch.macros]
        library = folder / "kernel.so"
        command = ["g++", "-std=c++20", "-O1", "-pthread", "-shared", "-fPIC", "-Wno-unknown-pragmas", *macros]
        subprocess.run([*command, str(source), "-o", str(library)], check=True)
        return ctypes.CDLL(str(library))


def _pointed(value: Any) -> Any:
    """Return an argument as C has it; what it points to is held by the caller."""
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous
        return ctypes.c_void_p(value.ctypes.data)
    types = {np.uintp: ctypes.c_void_p, np.int64: ctypes.c_int64, np.int32: ctypes.c_int32}
    return types[type(value)](int(value))
