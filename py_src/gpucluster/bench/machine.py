"""Hardware and software of a cluster, as its workers report them."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ..operating_system.resources import processor_name, usable_processors
from .result import HostFacts

PACKAGES = (
    "gpucluster", "dask", "distributed", "numpy", "pandas", "pyarrow", "scikit-learn", "scipy", "mpi4py", "dask-cuda",
    "cupy-cuda12x", "cupy-cuda13x", "cudf-cu12", "cudf-cu13", "cuml-cu12", "cuml-cu13", "distributed-ucxx-cu12",
    "distributed-ucxx-cu13",
)  # fmt: skip
SETTINGS = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "UCX_TLS", "UCX_NET_DEVICES",
)  # fmt: skip


def report() -> dict[str, Any]:
    """Return a worker's information about its computer; runs on the workers."""
    import psutil

    return {
        "host": platform.node(),
        "cpu_model": processor_name(),
        "cpus": len(usable_processors()),
        "memory_bytes": int(psutil.virtual_memory().total),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "versions": {"python": platform.python_version(), **_versions()},
        "settings": {name: os.environ[name] for name in SETTINGS if name in os.environ},
        "mpi": _mpi_ranks(),
    }


def hosts_of(
    reports: dict[str, dict[str, Any]], workers: dict[str, Any], loads: dict[str, float | None]
) -> list[HostFacts]:
    """Return the computers by kind.

    ``reports`` are the reports of the workers and ``workers`` the scheduler's information about them, such as GPUs'
    names, both by address; ``loads`` are the loads of the computers, by name, before the measurement.
    """
    by_host: dict[str, list[str]] = {}
    for address, each in reports.items():
        by_host.setdefault(each["host"], []).append(address)
    kinds: dict[tuple[Any, ...], list[tuple[list[str], list[str]]]] = {}
    for addresses in by_host.values():
        first = reports[addresses[0]]
        gpus = sorted(filter(None, (gpu_name(workers.get(address, {})) for address in addresses)))
        # Firmware reserves slightly different amounts of memory on equal computers.
        kind = (first["cpu_model"], first["cpus"], round(first["memory_bytes"], -9), first["system"], tuple(gpus))
        kinds.setdefault(kind, []).append((addresses, gpus))
    return [
        HostFacts(
            count=len(members),
            n_workers=sum(len(addresses) for addresses, _ in members),
            cpu_model=kind[0],
            cpus=kind[1],
            memory_bytes=reports[members[0][0][0]]["memory_bytes"],
            gpus=[name for _, gpus in members for name in gpus],
            system=kind[3],
            load_before=max(
                filter(None, (loads.get(reports[addresses[0]]["host"]) for addresses, _ in members)), default=None
            ),
        )
        for kind, members in kinds.items()
    ]


def gpu_name(worker: dict[str, Any]) -> str | None:
    gpu = worker.get("gpu") or {}
    name = gpu.get("name")
    return name[0] if isinstance(name, list) and name else name or None


def gpu_memory(worker: dict[str, Any]) -> int | None:
    total = (worker.get("gpu") or {}).get("memory-total")
    total = total[0] if isinstance(total, list) and total else total
    return int(total) if total else None


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _mpi_ranks() -> tuple[int, int] | None:
    """Return this process's rank and the number of ranks, if MPI started several."""
    import sys

    # Importing MPI would start it in a process outside an MPI program, and may terminate that process.
    if "mpi4py.MPI" not in sys.modules:
        return None
    world = sys.modules["mpi4py.MPI"].COMM_WORLD
    return (world.Get_rank(), world.Get_size()) if world.Get_size() > 1 else None
