"""What an installation can do, and which of several copies of a package is imported: looked up, not assumed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from ...operating_system.fabrics import infiniband_devices

_IMPORTED = "import importlib.util, sys; print(importlib.util.find_spec(sys.argv[1]).origin)"
_LIBRARY = "from mpi4py import MPI; print(MPI.Get_library_version().splitlines()[0])"


def fabric(folder: Path | None = None) -> dict[str, str]:
    """Return what can be said of fast networks here: devices, and packages that can use them.

    Parameters
    ----------
    folder : Path, optional
        Where Linux lists InfiniBand's devices; left out: where it does.
    """
    devices = infiniband_devices() if folder is None else infiniband_devices(folder)
    return {
        "InfiniBand devices": ", ".join(devices) or "none",
        **{name: installed(name) for name in ("distributed", "distributed-ucxx", "ucxx", "dask-cuda", "mpi4py")},
    }


def installed(distribution: str) -> str:
    """Return the version of an installed package, under its own name or with CUDA's number behind it."""
    for name in (distribution, f"{distribution}-cu13", f"{distribution}-cu12"):
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return "not installed"


def mpi_library() -> str:
    """Return what the MPI library below mpi4py calls itself; a sentence where there is none."""
    if find_spec("mpi4py") is None:
        return "mpi4py is not installed here."
    # In a process of its own: importing it begins an MPI program.
    done = subprocess.run([sys.executable, "-c", _LIBRARY], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout.strip() or "mpi4py is here, and finds no MPI library."


def imported_from(module: str, *, folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """Return the file from which a program in this folder would import a module."""
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTED, module], cwd=folder, env=None if environment is None else dict(environment),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return done.stdout.strip() or "nowhere"
