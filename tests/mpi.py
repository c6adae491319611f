"""What tests of MPI need: packages, and ``mpiexec`` beside Python."""

from __future__ import annotations

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
