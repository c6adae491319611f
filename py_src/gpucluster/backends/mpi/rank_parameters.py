"""What the ranks of a cluster are told; it is secret, and travels through the launcher's standard input and MPI."""

from __future__ import annotations

import os
from typing import Any

import dask

from ...protocol.mpi_spec import MPISpec
from ..backend import StartContext
from ..installed import shared_directories
from ..nodes.workers import given_environment, portable_credentials, usual_environment
from .ending import scratch_name

DEATH_TIMEOUT_SECONDS = 60
_TLS = {
    "tls_ca_file": "ca-file",
    "tls_client_cert": "client.cert",
    "tls_client_key": "client.key",
    "tls_scheduler_cert": "scheduler.cert",
    "tls_scheduler_key": "scheduler.key",
    "tls_worker_cert": "worker.cert",
    "tls_worker_key": "worker.key",
}
_PASSED_ON = (
    "distributed.comm.retry",
    "distributed.comm.timeouts",
    "distributed.worker.memory",
    "distributed.worker.preload",
    "distributed.worker.preload-argv",
    "distributed.worker.profile",
)
"""Parts of Dask's configuration that workers elsewhere follow, too."""


def told_to_ranks(spec: MPISpec, context: StartContext, n_workers: int, scheduler: str) -> dict[str, Any]:
    """Return what all ranks are told.

    Parameters
    ----------
    spec : MPISpec
    context : StartContext
    n_workers : int
    scheduler : str
        Its address.
    """
    return {
        "id": context.cluster_id,
        "n_workers": n_workers,
        "scheduler": scheduler,
        "gpus_per_rank": spec.gpus_per_rank,
        "memory_is_shared": spec.memory_limit == "auto",
        "joins": spec.protocol == "mpi",
        "environment": {**usual_environment(), **spec.worker_environment(), **given_environment(spec)},
        "config": {**{name: dask.config.get(name) for name in _PASSED_ON}, **_credentials(context)},
        "directory": os.getcwd(),
        "import_from": shared_directories(),
        "scratch": scratch_name(context.cluster_id),
        "local_directory": spec.local_directory,
        "arguments": arguments(spec),
        "options": _worker_options(spec, scheduler),
    }


def arguments(spec: MPISpec) -> list[str]:
    """Return the options of dask-mpi that are the same for all ranks."""
    worker_class = "distributed.Nanny" if spec.nanny else "distributed.Worker"
    if spec.gpus_per_rank:
        worker_class = "dask_cuda.CUDAWorker"
    limit = 0 if spec.memory_limit is None else spec.memory_limit
    return [
        *("--no-scheduler", "--no-dashboard", "--worker-class", worker_class),
        *("--nthreads", str(spec.threads_per_worker), "--memory-limit", str(limit)),
        *("--protocol", f"{spec.protocol}://"),
    ]


def _credentials(context: StartContext) -> dict[str, Any]:
    """Return the credentials as settings of Dask, which dask-mpi's workers find there; text in place of paths."""
    found = portable_credentials(context.security)
    settings = {f"distributed.comm.tls.{place}": found[name] for name, place in _TLS.items() if name in found}
    return {**settings, "distributed.comm.require-encryption": True} if found else {}


def _worker_options(spec: MPISpec, scheduler: str) -> dict[str, Any]:
    # dask-cuda calls it so, and it has no second way to say it.
    options: dict[str, Any] = {"scheduler" if spec.gpus_per_rank else "scheduler_ip": scheduler}
    options["death_timeout"] = DEATH_TIMEOUT_SECONDS
    if spec.gpus_per_rank:
        options |= {"dashboard": False, **_gpu_options(spec)}
    preload = list(spec.preload)
    if spec.has_nannies:
        preload.insert(0, "gpucluster.backends.spawned")
    if preload:
        options["preload"] = preload
    if spec.resources:
        texts = [f"{name}={amount:g}" for name, amount in spec.resources.items()]
        options["resources"] = ",".join(texts) if spec.gpus_per_rank else dict(spec.resources)
    if spec.lifetime_seconds is not None:
        options |= {"lifetime": spec.lifetime_seconds, "lifetime_restart": True}
        if spec.lifetime_stagger_seconds is not None:
            options["lifetime_stagger"] = spec.lifetime_stagger_seconds
    return options


def _gpu_options(spec: MPISpec) -> dict[str, Any]:
    """Return arguments of ``dask_cuda.CUDAWorker``. A share is of the rank's own GPU: it sees no other."""
    limit = spec.device_memory_limit
    return {
        "device_memory_limit": "default" if limit == "auto" else 0 if limit is None else limit,
        "rmm_pool_size": spec.rmm_pool_size,
        "rmm_maximum_pool_size": spec.rmm_maximum_pool_size,
        "rmm_managed_memory": spec.rmm_managed_memory,
        "rmm_async": spec.rmm_async,
        "rmm_release_threshold": spec.rmm_release_threshold,
        "rmm_allocator_external_lib_list": list(spec.rmm_allocator_external_lib_list) or None,
        "rmm_log_directory": spec.rmm_log_directory,
        "rmm_track_allocations": spec.rmm_track_allocations and (spec.rmm_pool_size is not None or spec.rmm_async),
        "enable_cudf_spill": spec.enable_cudf_spill,
        "cudf_spill_stats": spec.cudf_spill_stats,
        "pre_import": list(spec.pre_import) or None,
    }
