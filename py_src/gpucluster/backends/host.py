"""What all workers of a cluster on this machine share, and how much of it one of them gets."""

from __future__ import annotations

import resource
from typing import Any

from ..dask_internals.machine import memory_bytes
from ..devices.host import this_machine
from ..operating_system import LINUX
from ..protocol.capacity import Machine, memory_fault, memory_of_worker
from ..protocol.errors import PreflightFailed
from ..protocol.spec import MachineSpec
from .nodes import lifetime_options
from .worker_variables import given_variables

FIRST_PRELOADS: tuple[str, ...] = () if LINUX else ("gpucluster.backends.spawned",)
"""What Dask's workers import before they start; forked ones inherit it."""


def shared_machine() -> Machine:
    """Return what all workers of a cluster on this machine share."""
    found = this_machine()
    # distributed lowers every limit to what it considers the memory of the machine.
    return Machine(memory_bytes=min(found.memory_bytes, memory_bytes()), cores=found.cores)


def protocol_option(protocol: str) -> dict[str, str]:
    """Return the argument of the distributed Cluster class; sockets in a folder are up to ``SpecDeployment``."""
    return {} if protocol == "unix" else {"protocol": protocol}


def worker_options(spec: MachineSpec) -> dict[str, Any]:
    """Return the arguments of Dask's workers that follow from a spec."""
    options: dict[str, Any] = {}
    if given := given_variables():
        options["env"] = given
    if spec.resources:
        options["resources"] = dict(spec.resources)
    if spec.preload:
        # They replace those of Dask's configuration.
        options["preload"] = [*FIRST_PRELOADS, *spec.preload]
    return options | lifetime_options(spec)


def host_memory_limit(wanted: int | float | str | None, machine: Machine, *, workers: int) -> int:
    """Return ``memory_of_worker``. Raises `PreflightFailed`: it is more than the machine has."""
    fault = memory_fault(wanted, machine)
    if fault is not None:
        raise PreflightFailed(f"{fault.field}: {fault.message}.", fields=[fault])
    return memory_of_worker(wanted, machine, workers=workers)


PROCESS_FILES = 30  # Open files of the cluster's process without workers, including a client and short-lived ones.
WORKER_FILES = 12  # Additional files for each worker, while it starts.


def bounded_by_open_files(n_workers: int, maximum: int, reason: str) -> tuple[int, str]:
    """Return the largest number of workers, and why it is the largest, under the limit of open files.

    `n_workers`: workers to start with. `maximum`, `reason`: the maximum without this limit, and its reason. Raises
    `PreflightFailed` when the limit is too small for the workers to start with.
    """
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    most = max(1, (limit - PROCESS_FILES) // WORKER_FILES)
    if limit == resource.RLIM_INFINITY or most >= maximum:
        return maximum, reason
    if n_workers > most:
        raise PreflightFailed(
            f"{n_workers} workers need about {PROCESS_FILES + WORKER_FILES * n_workers} open files, and one process "
            f"may have {limit} here. Ask for at most {most}, or raise the limit (ulimit -n) before Jupyter or the "
            "shell starts the cluster."
        )
    return most, (
        f"one process may have {limit} open files here, enough for about {most}; raise the limit (ulimit -n) before "
        "Jupyter or the shell starts the cluster"
    )
