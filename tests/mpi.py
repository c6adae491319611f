"""The requirements of MPI tests: packages, and ``mpiexec`` beside Python."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

MPIEXEC = Path(sys.executable).with_name("mpiexec")
needs_mpi = pytest.mark.skipif(not MPIEXEC.exists(), reason="needs mpiexec beside Python: pip install mpich")


def require_mpi(*packages: str) -> None:
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


ONE_THREAD = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""The environment of ranks whose numerical libraries have one thread."""


@contextmanager
def dask_mpi_cluster(folder: Path, worker_class: str = "distributed.Worker") -> Iterator[Any]:
    """Start a scheduler and two workers with dask-mpi; gives a client, which is not the default one."""
    from distributed import Client

    file = folder / "scheduler.json"
    command = [
        *mpiexec(3), Path(sys.executable).with_name("dask-mpi"), "--scheduler-file", file, "--nthreads", "1",
        "--no-dashboard", "--worker-class", worker_class, "--local-directory", folder,
    ]  # fmt: skip
    process = subprocess.Popen(command, env=ONE_THREAD, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # A default client that stops its scheduler leaves Dask's configuration pointing to it.
        with Client(scheduler_file=str(file), timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
            yield client
            client.shutdown()
        process.wait(30)
    finally:
        process.kill()
        process.wait(30)
