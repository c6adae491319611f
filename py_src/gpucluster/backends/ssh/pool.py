"""The hosts of one cluster, and which worker goes where."""

from __future__ import annotations

import asyncio
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import dask

from ...protocol.errors import MissingPackage, PreflightFailed
from ..cuda.memory import memory_options, resolve_memory
from ..cuda.spec import missing_module, needed_packages, refused
from ..environment import shared_directories
from ..workers import PASSED_ON, given_environment, lifetime_options, portable_credentials, usual_environment
from .host import Host
from .hosts import HostUnusable, named_hosts
from .spec import SSHSpec

if TYPE_CHECKING:
    from ..backend import StartContext
    from .deployment import SSHWorker


AVOIDED_SECONDS = 60.0  # For this time a host that failed is the last choice.


def scratch_name(cluster_id: str) -> str:
    """Return the prefix of a cluster's private folders on its hosts."""
    return f"gpucluster-{cluster_id}-"


class Pool:
    """All hosts of one cluster."""

    def __init__(self, spec: SSHSpec, context: StartContext) -> None:
        self.forget_worker: Callable[[str], None] = lambda name: None  # Called for each worker whose host is lost.
        self._spec = spec
        common = {
            "id": context.cluster_id,
            "protocol": spec.protocol,
            "security": portable_credentials(context.security),
            "environment": {**usual_environment(), **spec.worker_environment(), **given_environment(spec)},
            "config": {name: dask.config.get(name) for name in PASSED_ON},
            "directory": os.getcwd(),
            "import_from": shared_directories(),
            "local_directory": spec.local_directory,
            "use_gpus": spec.use_gpus,
            "modules": [*(need.module for need in needed_packages(spec)), "cuda.bindings", *spec.pre_import],
        }
        python = spec.remote_python or sys.executable
        self.hosts = [
            # Two names may be one host.
            Host(
                named,
                spec.ssh_config,
                python,
                {**common, "scratch_name": f"{scratch_name(context.cluster_id)}{number}"},
                self._lost,
            )
            for number, named in enumerate(named_hosts(spec))
        ]

    async def open(self) -> None:
        """Open all hosts at once. Raises `PreflightFailed` if some cannot be used; then close all of them."""
        found = await asyncio.gather(*(host.open() for host in self.hosts), return_exceptions=True)
        errors = [error for error in found if isinstance(error, BaseException)]
        for error in errors:
            if not isinstance(error, PreflightFailed):
                raise error
        if errors:
            why = " ".join(str(error).rstrip(".") + "." for error in errors[:3])
            more = f" And {len(errors) - 3} more." if len(errors) > 3 else ""
            if len(self.hosts) == 1:
                raise PreflightFailed(f"The host cannot be used. {why}")
            raise PreflightFailed(f"{len(errors)} of {len(self.hosts)} hosts cannot be used. {why}{more}")
        prepare_gpus(self._spec, self.hosts)

    @property
    def has_gpus(self) -> bool:
        """Whether workers get GPUs: then only hosts with GPUs are used."""
        return any(host.gpus for host in self.hosts)

    @property
    def usual_workers(self) -> int:
        return sum(host.places for host in self._usable())

    @property
    def most_workers(self) -> int:
        """Maximum number of workers: one for each GPU, or for each core."""
        if self.has_gpus:
            return sum(len(host.gpus) for host in self.hosts)
        return sum(max(host.named.workers, int(host.facts.get("cores", 1))) for host in self.hosts)

    def _usable(self) -> list[Host]:
        return [host for host in self.hosts if host.gpus or not self.has_gpus]

    @contextmanager
    def placing(self, worker: SSHWorker) -> Iterator[Host]:
        """Choose a host for a worker: the one with most room, hosts that failed recently last."""
        now = time.monotonic()

        def rank(host: Host) -> tuple[bool, float, int]:
            avoided = now - host.failed_at < AVOIDED_SECONDS
            return avoided, (len(host.workers) + 1) / host.places, self.hosts.index(host)

        free = [host for host in self._usable() if host.free_gpu() is not None or not self.has_gpus]
        if not free:
            raise HostUnusable("every GPU on the hosts already has a worker")
        host = min(free, key=rank)
        worker.device = host.free_gpu()
        host.workers[worker.name] = worker  # The next placement sees it.
        try:
            yield host
        except BaseException:
            if host.workers.get(worker.name) is worker:
                del host.workers[worker.name]
            raise

    def command(self, worker: SSHWorker, host: Host, scheduler: str, timeout: float) -> dict[str, Any]:
        spec = self._spec
        options: dict[str, Any] = {"nthreads": spec.threads_per_worker, "death_timeout": timeout}
        options["memory_limit"] = memory_limit_on(host, spec)
        if spec.resources:
            options["resources"] = dict(spec.resources)
        if spec.preload:
            options["preload"] = list(spec.preload)
        return {
            "name": worker.name,
            "scheduler": scheduler,
            "options": options | lifetime_options(spec),
            "device": worker.device,
            "gpu": host.gpu_options,
            "timeout": timeout,
        }

    def _lost(self, workers: list[SSHWorker]) -> None:
        for worker in workers:
            worker.has_gone()
            self.forget_worker(str(worker.name))

    async def close(self) -> None:
        await asyncio.gather(*(host.close() for host in self.hosts), return_exceptions=True)


def memory_limit_on(host: Host, spec: SSHSpec) -> int:
    """Return the bytes of a worker on a host, 0: no limit. An equal share is per GPU, or by threads, as in Dask."""
    if spec.memory_limit != "auto":
        return int(spec.memory_limit or 0)
    sharers = len(host.gpus) or max(host.named.workers, math.ceil(host.facts["cores"] / spec.threads_per_worker))
    return int(host.facts["memory_bytes"]) // sharers


def prepare_gpus(spec: SSHSpec, hosts: Sequence[Host]) -> None:
    """Resolve shares of GPU memory for each host; refuse what is impossible."""
    with_gpus = [host for host in hosts if host.gpus]
    chosen = spec.chosen_gpu_options()
    if not with_gpus:
        if chosen:
            message = f"{chosen[0]} is for workers with a GPU, but none of the hosts has a usable GPU."
            raise refused(chosen[0], message)
        return
    places = sum(len(host.gpus) for host in with_gpus)
    for host in with_gpus:
        _require_packages(spec, host)
        devices = host.devices()
        # If only some of the GPUs get a worker, it is not known yet which.
        all_at_once = spec.n_workers is None or spec.n_workers >= places
        memory = resolve_memory(spec, devices, len(devices) if all_at_once else 0)
        host.gpu_options = memory_options(spec, memory)


def _require_packages(spec: SSHSpec, host: Host) -> None:
    missing = host.facts.get("missing", [])
    for need in needed_packages(spec):
        if need.module in missing:
            raise need.refusal(f"is not installed on {host.name}")
    if "cuda.bindings" in missing:
        raise MissingPackage(
            f"{host.name}: dask-cuda lacks the package 'cuda-bindings' there: run pip install 'dask-cuda[cu13]'."
        )
    for module in spec.pre_import:
        if module in missing:
            raise missing_module(module, f"on {host.name}")
