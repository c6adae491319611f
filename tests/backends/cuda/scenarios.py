# ruff: noqa: ASYNC110 - processes and metrics send no events that could be awaited
"""Scenarios with a real ``LocalCUDACluster`` in a process that sees a fake machine.

Each scenario starts a cluster through our backend, as the supervisor does: workers come from the forkserver. Its result
is printed as JSON for the test. Nothing may be left when a scenario ends.
"""

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
from gpucluster.backends.backend import Plan, StartContext, load_backend
from gpucluster.backends.cuda.spec import CudaSpec
from gpucluster.backends.environment import take_given
from gpucluster.comm.folder import make_comm_folder
from gpucluster.protocol.errors import GPUClusterError
from gpucluster.protocol.spec import parse_spec
from gpucluster.supervisor import starting
from gpucluster.supervisor.process.warmup import configure_dask, start_forkserver

take_given()
FAKE_NVML = Path(os.environ["FAKE_NVML"])
Spec = dict[str, Any]


def context(spec: CudaSpec) -> StartContext:
    import dask
    from distributed.security import Security

    security = Security.temporary() if spec.protocol == "tls" else None
    folder = Path(tempfile.mkdtemp())
    comm = None
    if spec.protocol == "unix":
        comm = folder / "comm"
        make_comm_folder(comm)
        dask.config.set({"gpucluster.comm-folder": str(comm)})
    return StartContext("scenario", security, folder, "secret-prefix", comm_directory=comm)


async def start(spec: Spec, between: Callable[[], None] = lambda: None) -> tuple[Any, Plan]:
    parsed = parse_spec({"backend": "cuda"} | spec)
    assert isinstance(parsed, CudaSpec)
    backend, given = load_backend("cuda"), context(parsed)
    plan = await backend.preflight(parsed, given)
    between()
    return await starting.start_deployment(backend, plan, given), plan


@asynccontextmanager
async def deployed(spec: Spec) -> AsyncIterator[Any]:
    deployment, _ = await start(spec)
    try:
        yield deployment
    finally:
        await deployment.close()


@asynccontextmanager
async def started(spec: Spec) -> AsyncIterator[Any]:
    async with deployed(spec) as deployment:
        yield deployment._cluster


async def settle(cluster: Any, n: int) -> list[str]:
    while len(cluster.scheduler.workers) != n or len(cluster.workers) != n:
        await asyncio.sleep(0.02)
    return sorted(str(worker.name) for worker in cluster.scheduler.workers.values())


def worker_processes() -> list[str]:
    """Return the running processes of workers: children of the forkserver."""
    living = []
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # It may end while we look.
            if child.ppid() != os.getpid() and child.is_running():
                living.append(str(child))
    return living


async def left_behind() -> list[str]:
    """Return what still runs a few seconds after the end of a cluster."""
    from distributed.deploy.spec import SpecCluster

    for _ in range(250):
        if not worker_processes():
            break
        await asyncio.sleep(0.02)
    open_ones = [str(cluster) for cluster in SpecCluster._instances if cluster.status.name != "closed"]
    listening = [c.laddr.port for c in psutil.Process().net_connections("tcp") if c.status == psutil.CONN_LISTEN]
    return [*worker_processes(), *open_ones, *map(str, listening)]


async def preflight(spec: Spec) -> Any:
    parsed = parse_spec({"backend": "cuda"} | spec)
    assert isinstance(parsed, CudaSpec)
    plan = await load_backend("cuda").preflight(parsed, context(parsed))
    return {
        "n_workers": plan.n_workers,
        "maximum_workers": plan.maximum_workers,
        "maximum_reason": plan.maximum_reason,
        "network": plan.network,
        "options": dict(plan.options),
    }


async def workers_and_devices(spec: Spec) -> Any:
    from distributed import Client

    async with deployed(spec) as deployment, Client(deployment._cluster, asynchronous=True) as client:
        cluster = deployment._cluster
        visible = await client.run(lambda: os.environ["CUDA_VISIBLE_DEVICES"].split(","))
        given = await client.run(os.getenv, "GIVEN")
        limits = await client.run(lambda dask_worker: dask_worker.data.device_buffer.n)
        answer = await client.submit(sum, [1, 2, 3])
        while not all("gpu_memory_used" in worker.metrics for worker in cluster.scheduler.workers.values()):
            await asyncio.sleep(0.02)
        return [
            {
                "name": str(worker.name),
                "device": deployment.device_of(str(worker.name)),
                "visible": visible[address],
                "given": given[address],
                "device_memory_limit": limits[address],
                "memory_limit": worker.memory_limit,
                "vram_total": worker.metrics["gpu-memory-total"],
                "vram_used": worker.metrics["gpu_memory_used"],
                "gpu_utilization": worker.metrics["gpu_utilization"],
                "address": address,
                "pid": worker.pid,
                "answer": answer,
            }
            for address, worker in cluster.scheduler.workers.items()
        ]


async def scale_up_and_down(spec: Spec) -> Any:
    async with started(spec) as cluster:
        seen = [await settle(cluster, len(cluster.workers))]
        for n in (3, 1, 2):
            cluster.scale(n)
            seen.append(await settle(cluster, n))
        return seen


async def more_workers_than_devices(spec: Spec) -> Any:
    async with started(spec) as cluster:
        before = await settle(cluster, len(cluster.workers))
        refusals = []
        for ask in (
            lambda: cluster.scale(5),
            lambda: cluster.adapt(minimum=1, maximum=5),
            lambda: cluster.adapt(minimum=5, maximum=6),
        ):
            try:
                ask()
            except GPUClusterError as error:
                refusals.append([error.code, error.message])
        plan_unchanged = sorted(cluster.worker_spec) == before and getattr(cluster, "_adaptive", None) is None
        cluster.scale(3)
        return {"refusals": refusals, "plan_unchanged": plan_unchanged, "then": len(await settle(cluster, 3))}


async def adapt(spec: Spec) -> Any:
    async with started(spec) as cluster:
        adaptive = cluster.adapt(minimum=2, interval="50ms")
        await settle(cluster, 2)
        return {"maximum": adaptive.maximum, "minimum": adaptive.minimum}


async def strangers(spec: Spec) -> Any:
    """Try to connect without the cluster's certificate, and to look at the dashboard without the secret."""
    from distributed import Client
    from distributed.security import Security
    from tornado.httpclient import AsyncHTTPClient

    async with started(spec) as cluster:
        refused = []
        address = cluster.scheduler_address
        for security in (None, Security.temporary()):
            try:
                async with Client(address, security=security, asynchronous=True, timeout="2s"):
                    refused.append("")
            except Exception as error:
                refused.append(type(error).__name__)
        server = cluster.scheduler.http_server
        codes = []
        for path in ("/", "/status", "/secret-prefix/health"):
            url = f"http://127.0.0.1:{server.port}{path}"
            codes.append((await AsyncHTTPClient().fetch(url, raise_error=False, follow_redirects=False)).code)
        return {"address": address, "refused": refused, "dashboard": [server.address, *codes]}


async def failing_start(spec: Spec) -> Any:
    """Start; before that, but after the checks, change the machine as FAKE_BETWEEN says."""

    def between() -> None:
        if "FAKE_BETWEEN" in os.environ:
            FAKE_NVML.write_text(os.environ["FAKE_BETWEEN"] + "\n" + FAKE_NVML.read_text())

    try:
        await start(spec, between)
    except GPUClusterError as error:
        return {"code": error.code, "message": error.message, "left": await left_behind()}
    raise AssertionError("this start was meant to fail")


async def cancelled_start(spec: Spec) -> Any:
    starting = asyncio.ensure_future(start(spec))
    while not worker_processes():
        await asyncio.sleep(0.01)
    starting.cancel()
    await asyncio.wait({starting})
    return {"cancelled": starting.cancelled(), "left": await left_behind()}


def play(scenario: Callable[[Spec], Awaitable[Any]], spec: Spec) -> None:
    """Play a scenario and print what it returns."""

    async def run() -> None:
        try:
            result = await scenario(spec)
        except GPUClusterError as error:
            result = {"refused": error.code, "message": error.message, "fields": [f.field for f in error.fields]}
        print(json.dumps(result))

    if scenario is not preflight:
        start_forkserver()
        configure_dask()
    asyncio.run(run())
