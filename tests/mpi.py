"""The requirements of MPI tests: packages, and ``mpiexec`` beside Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MPIEXEC = Path(sys.executable).with_name("mpiexec")
needs_mpi = pytest.mark.skipif(not MPIEXEC.exists(), reason="needs mpiexec beside Python: pip install mpich")


def must_have_mpi(*packages: str) -> None:
    """Skip the file that calls this where ``mpiexec``, ``mpi4py`` or one of these packages is missing."""
    for package in ("mpi4py", *packages):
        pytest.importorskip(package, reason=f"needs the package '{package.replace('_', '-')}'")
    if not MPIEXEC.exists():
        pytest.skip("needs mpiexec beside Python: pip install mpich", allow_module_level=True)


def is_open_mpi() -> bool:
    """Return whether the launcher is that of Open MPI, as in `make test-open-mpi`, not of MPICH."""
    done = subprocess.run([MPIEXEC, "--version"], capture_output=True, text=True, timeout=30, check=False)
    return "Open MPI" in done.stdout


def own_options() -> list[str]:
    """Return the launcher options that gpucluster itself uses on this machine."""
    if not is_open_mpi():
        return []
    as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["--bind-to", "none", *as_root, "--map-by", ":OVERSUBSCRIBE"]


def mpiexec(n_ranks: int) -> list[str]:
    """Return the words that start the following program on `n_ranks` ranks."""
    return [str(MPIEXEC), *own_options(), "-n", str(n_ranks)]
