"""Workers on this machine and on others: their options, environment, memory and addresses.

Imports no Dask: interfaces use it before anything starts.
"""

from __future__ import annotations

import ipaddress
import resource
import socket
from collections.abc import Collection
from pathlib import PurePath
from threading import Thread
from typing import TYPE_CHECKING, Any

import psutil

from ..dask_internals.machine import memory_bytes
from ..devices.host import this_machine
from ..operating_system import LINUX
from ..protocol.capacity import Machine, memory_fault, memory_of_worker
from ..protocol.errors import PreflightFailed
from ..protocol.machine_spec import GPUSpec, MachineSpec, NodeSpec
from .environment import given_variables

if TYPE_CHECKING:
    from distributed.security import Security


_ROLES = ("client", "scheduler", "worker")
_OF_TLS = ("tls_ca_file", *(f"tls_{role}_{part}" for role in _ROLES for part in ("cert", "key")))
PASSED_ON = (
    "distributed.comm.retry",
    "distributed.comm.timeouts",
    "distributed.worker.memory",
    "distributed.worker.preload",
    "distributed.worker.preload-argv",
    "distributed.worker.profile",
)
"""Parts of Dask's configuration that apply to workers on other machines, too."""
WORKER_MODULE = "distributed.cli.dask_worker"  # There are no ``dask-worker`` scripts any more.


def lifetime_options(spec: MachineSpec) -> dict[str, Any]:
    """Return the arguments of Dask's workers for their lifetime, after which they restart."""
    if spec.lifetime_seconds is None:
        return {}
    stagger = {} if spec.lifetime_stagger_seconds is None else {"lifetime_stagger": spec.lifetime_stagger_seconds}
    return {"lifetime": spec.lifetime_seconds, "lifetime_restart": True, **stagger}


def credentials(authority: str, cert: str, key: str) -> Security:
    """Return the same credentials for scheduler, workers and clients: paths, or their contents."""
    from distributed.security import Security

    parts = {f"tls_{role}_{part}": text for role in _ROLES for part, text in (("cert", cert), ("key", key))}
    return Security(require_encryption=True, tls_ca_file=authority, **parts)


def portable_credentials(security: Security | None) -> dict[str, Any]:
    """Return the keyword arguments of ``distributed.Security`` for another machine, without paths of this one.

    They are secret: only for a file of mode 0600 or for the standard input of a process; never for a command line.
    """
    if security is None:
        return {}
    return {"require_encryption": True, **{name: getattr(security, name) for name in _OF_TLS}}


def given_environment(spec: NodeSpec) -> dict[str, str]:
    """Return the environment variables that the user set for the workers; the spec in the record has no values."""
    given = given_variables()
    return {name: given[name] for name in spec.env or () if name in given}


def usual_environment() -> dict[str, str]:
    """Return the variables that Dask's nannies set for workers, such as ``OMP_NUM_THREADS``."""
    import dask

    environ, earlier = (dask.config.get(f"distributed.nanny.{name}", {}) for name in ("environ", "pre-spawn-environ"))
    return {name: str(value) for name, value in {**environ, **earlier}.items()}


def worker_arguments(
    spec: NodeSpec,
    *,
    gpu: GPUSpec | None = None,
    name: str | None = None,
    tls_directory: PurePath | None = None,
    death_timeout_seconds: int = 60,
) -> list[str]:
    """Return the options of ``python -m distributed.cli.dask_worker``, or of dask-cuda's worker, for a spec.

    None is secret. Each is one argument and must be quoted in a line of shell.

    * `gpu`: options of the GPU of each worker, for dask-cuda; shares are of that GPU.
    * `tls_directory`: folder on the worker's machine with ``ca.pem``, ``cert.pem`` and ``key.pem``.
    * `death_timeout_seconds`: a worker ends after this time without a scheduler.
    """
    limit = 0 if spec.memory_limit is None else spec.memory_limit
    arguments = ["--nthreads", str(spec.threads_per_worker), "--memory-limit", str(limit)]
    arguments += ["--no-dashboard", "--protocol", f"{spec.protocol}://"]
    arguments += ["--death-timeout", str(death_timeout_seconds)]
    if name is not None:
        arguments += ["--name", name]
    if spec.local_directory is not None:
        arguments += ["--local-directory", spec.local_directory]
    if tls_directory is not None:
        for option, file in ("--tls-ca-file", "ca.pem"), ("--tls-cert", "cert.pem"), ("--tls-key", "key.pem"):
            arguments += [option, str(tls_directory / file)]
    if spec.resources:
        arguments += ["--resources", ",".join(f"{each}={amount:g}" for each, amount in spec.resources.items())]
    for module in spec.preload:
        arguments += ["--preload", module]
    if gpu is not None:  # dask-cuda's worker has none of the others.
        return arguments + _gpu_arguments(gpu)
    arguments.append("--nanny")
    if spec.lifetime_seconds is not None:
        arguments += ["--lifetime", f"{spec.lifetime_seconds}s", "--lifetime-restart"]
        if spec.lifetime_stagger_seconds is not None:
            arguments += ["--lifetime-stagger", f"{spec.lifetime_stagger_seconds}s"]
    return arguments


def _gpu_arguments(spec: GPUSpec) -> list[str]:
    found: list[str] = []
    if spec.device_memory_limit != "auto":
        found += ["--device-memory-limit", str(spec.device_memory_limit or 0)]
    for name in ("rmm_pool_size", "rmm_maximum_pool_size", "rmm_release_threshold", "rmm_log_directory"):
        if (value := getattr(spec, name)) is not None:
            found += [f"--{name.replace('_', '-')}", str(value)]
    found += [f"--{name.replace('_', '-')}" for name in ("rmm_async", "rmm_managed_memory") if getattr(spec, name)]
    for library in spec.rmm_allocator_external_lib_list:
        found += ["--set-rmm-allocator-for-libs", library]
    if spec.rmm_track_allocations and spec.allocates_with_rmm():
        found.append("--rmm-track-allocations")
    if spec.enable_cudf_spill:
        found += ["--enable-cudf-spill", "--cudf-spill-stats", str(spec.cudf_spill_stats)]
    return [*found, "--pre-import", ",".join(spec.pre_import)] if spec.pre_import else found


SOME_ADDRESS = "192.0.2.1"  # Unassigned (RFC 5737), and nothing is sent there: only to learn the outgoing address.
LOOPBACK = "127.0.0.1"
_LOOK_UP_SECONDS = 2.0


def address_of(interface: str) -> str:
    addresses = psutil.net_if_addrs()
    if interface not in addresses:
        raise PreflightFailed(
            f"interface: no network interface '{interface}' here. Available: {', '.join(sorted(addresses))}."
        )
    found: dict[int, str] = {}
    for entry in addresses[interface]:
        if entry.family in {socket.AF_INET, socket.AF_INET6} and not entry.address.startswith("fe80:"):
            found.setdefault(entry.family, entry.address)
    state = psutil.net_if_stats().get(interface)
    if not found or (state is not None and not state.isup):
        why = "has no address" if not found else "is down"
        raise PreflightFailed(f"interface: the network interface '{interface}' of this machine {why}; choose another.")
    return found.get(socket.AF_INET) or found[socket.AF_INET6]


def address_towards(target: str) -> str:
    """Return the address of this machine from which it would reach another address; sends nothing."""
    family = socket.AF_INET6 if ":" in target else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((target, 9))
        except OSError:
            return LOOPBACK
        return str(probe.getsockname()[0])


def scheduler_address(interface: str | None, targets: Collection[str] = ()) -> str:
    """Return the address that the scheduler listens on.

    `interface`: the chosen network interface. `targets`: known addresses of the workers' machines; default: the
    default route. Raises `PreflightFailed`: the interface cannot be used.
    """
    if interface is not None:
        return address_of(interface)
    ours = sorted({address_towards(target) for target in targets or (SOME_ADDRESS,)})
    # Workers on this machine also reach it by an outer address; those on others do not reach it by loopback.
    return next((address for address in ours if not ipaddress.ip_address(address).is_loopback), ours[0])


def host_fault(host: str, port: int | None = None) -> str | None:
    """Return what is wrong with a host, as the end of a sentence without its full stop.

    `host`: name or address. `port`: also check whether something listens there. Returns ``None`` if nothing is wrong,
    or two seconds are not enough to find out.
    """
    found: list[str] = []

    def look() -> None:
        try:
            if port is None:
                socket.getaddrinfo(host, None)
            else:
                socket.create_connection((host, port), _LOOK_UP_SECONDS).close()
        except socket.gaierror as error:
            # A name server that does not respond at the moment says nothing about the name.
            if error.errno != socket.EAI_AGAIN:
                found.append(f"host '{host}' not found")
        except ConnectionRefusedError:
            found.append(f"nothing is listening on port {port} of {host}")
        except (OSError, UnicodeError):
            pass

    looking = Thread(target=look, name="gpucluster-host", daemon=True)
    looking.start()
    looking.join(_LOOK_UP_SECONDS)
    return found[0] if found else None


FIRST_PRELOADS: tuple[str, ...] = () if LINUX else ("gpucluster.backends.spawned",)
"""What Dask's workers import before they start; forked ones inherit it."""


def shared_machine() -> Machine:
    found = this_machine()
    # distributed lowers every limit to what it considers the memory of the machine.
    return Machine(memory_bytes=min(found.memory_bytes, memory_bytes()), cores=found.cores)


def protocol_option(protocol: str) -> dict[str, str]:
    """Return the argument of the distributed Cluster class; sockets in a folder are up to ``SpecDeployment``."""
    return {} if protocol == "unix" else {"protocol": protocol}


def worker_options(spec: MachineSpec) -> dict[str, Any]:
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
            f"{n_workers} workers need about {PROCESS_FILES + WORKER_FILES * n_workers} open files, but the limit is "
            f"{limit} per process. Request at most {most}, or raise the limit (ulimit -n) before you start Jupyter or "
            "the cluster."
        )
    return most, (
        f"the limit of {limit} open files per process is enough for about {most}; raise it (ulimit -n) before you "
        "start Jupyter or the cluster"
    )
