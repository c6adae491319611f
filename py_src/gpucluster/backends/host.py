"""What all workers of a cluster on this machine share, and how much of it one of them gets."""

from __future__ import annotations

from typing import Any

from ..dask_internals.machine import memory_bytes
from ..devices.machine import this_machine
from ..operating_system import LINUX
from ..protocol.capacity import Machine, memory_fault, memory_of_worker
from ..protocol.errors import PreflightFailed
from ..protocol.spec import MachineSpec
from .worker_variables import given_variables

FIRST_PRELOADS: tuple[str, ...] = () if LINUX else ("gpucluster.backends.spawned",)
"""What Dask's workers import before they start; forked ones have it from the process that they are forked from."""


def shared_machine() -> Machine:
    """Return what all workers of a cluster on this machine share."""
    found = this_machine()
    # distributed lowers every limit to what it takes for the memory of the machine.
    return Machine(memory_bytes=min(found.memory_bytes, memory_bytes()), cores=found.cores)


def protocol_option(protocol: str) -> dict[str, str]:
    """Return the argument of the distributed Cluster class; sockets in a folder are up to ``SpecDeployment``."""
    return {} if protocol == "unix" else {"protocol": protocol}


def worker_options(spec: MachineSpec) -> dict[str, Any]:
    """Return what a spec asks of Dask's workers, as arguments of theirs.

    Of environment variables, the process that workers are forked from has some already.
    """
    options: dict[str, Any] = {}
    if given := given_variables():
        options["env"] = given
    if spec.resources:
        options["resources"] = dict(spec.resources)
    if spec.preload:
        # They stand in for what Dask's configuration says.
        options["preload"] = [*FIRST_PRELOADS, *spec.preload]
    if spec.lifetime_seconds is not None:
        # The number of workers is what was asked for: who has lived long enough starts anew.
        options |= {"lifetime": spec.lifetime_seconds, "lifetime_restart": True}
        if spec.lifetime_stagger_seconds is not None:
            options["lifetime_stagger"] = spec.lifetime_stagger_seconds
    return options


def host_memory_limit(wanted: int | float | str | None, machine: Machine, *, workers: int) -> int:
    """Return ``memory_of_worker``.

    Raises
    ------
    PreflightFailed
        It is more than the machine has.
    """
    fault = memory_fault(wanted, machine)
    if fault is not None:
        raise PreflightFailed(f"{fault.field}: {fault.message}.", fields=[fault])
    return memory_of_worker(wanted, machine, workers=workers)
