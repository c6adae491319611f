# ruff: noqa: ASYNC110 - workers that join send no event that could be awaited
"""dask-cuda's workers on hosts that are reached by SSH: real servers, whose hosts have GPUs in a text file only."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from nvml.machine import FakeMachine, gpu, gpu_uuid, mig_slice, slice_uuid

pytest.importorskip("dask_cuda", reason="runs in the second environment, which has dask-cuda")
pytest.importorskip("asyncssh", reason="needs the package 'asyncssh'")

from gpucluster.backends.backend import Plan, StartContext, load_backend  # noqa: E402
from gpucluster.backends.scheduler.in_process import InProcessScheduler  # noqa: E402
from gpucluster.protocol.errors import GPUClusterError  # noqa: E402
from gpucluster.protocol.models import EVENT, Telemetry  # noqa: E402
from gpucluster.protocol.spec import parse_spec  # noqa: E402
from gpucluster.protocol.telemetry import TelemetrySample  # noqa: E402
from gpucluster.supervisor import starting  # noqa: E402
from gpucluster.supervisor.figures.sampler import Sampler  # noqa: E402

from tests.backends.ssh.sshd import Servers  # noqa: E402
from tests.ports import free_ports  # noqa: E402

pytestmark = pytest.mark.processes
GIB = 2**30


@pytest.fixture(scope="module")
def hosts(fake_libraries, tmp_path_factory):
    """Two hosts, ``big`` and ``small``, and the files that define their GPUs; ``config`` is the client's."""
    folder = tmp_path_factory.mktemp("sshd")
    servers = Servers(folder)
    machines = {}
    for number, name in enumerate(("big", "small"), 1):
        machines[name] = machine = FakeMachine(fake_libraries, folder / f"{name}.txt")
        [port], address = free_ports(1), f"127.0.0.{number}"
        shown = {"LD_LIBRARY_PATH": str(fake_libraries), "FAKE_NVML": str(machine.file)}
        servers.start(name, [address], port, environment=shown)
        servers.name(name, address, port)
    yield machines
    servers.stop()


@pytest.fixture(autouse=True)
def usual(hosts):
    hosts["big"].write([gpu(2, total=81920, used=40000), gpu(1, total=81920, util=7)])
    hosts["small"].write([gpu(3, total=16384)])


async def _plan(machines: dict[str, FakeMachine], folder: Path, **options: Any) -> tuple[Any, Plan, StartContext]:
    config = str(machines["big"].file.with_name("config"))
    spec = parse_spec({"backend": "ssh", "hosts": "big,small", "protocol": "tcp", "ssh_config": config, **options})
    backend, context = load_backend("ssh"), StartContext("0123abcd", None, folder, "secret-prefix")
    return backend, await backend.preflight(spec, context), context


@asynccontextmanager
async def started(machines: dict[str, FakeMachine], folder: Path, **options: Any) -> AsyncIterator[Any]:
    backend, plan, context = await _plan(machines, folder, **options)
    assert plan.has_gpus is True
    deployment = await starting.start_deployment(backend, plan, context)
    try:
        yield deployment
    finally:
        await deployment.close()


async def refusal(machines: dict[str, FakeMachine], folder: Path, **options: Any) -> str:
    with pytest.raises(GPUClusterError) as error:
        await _plan(machines, folder, **options)
    return error.value.message


async def settled(cluster: Any, n: int) -> None:
    async with asyncio.timeout(60):
        while len(cluster.scheduler.workers) != n:
            await asyncio.sleep(0.02)


async def measured(cluster: Any) -> TelemetrySample:
    """Return the first figures that include the GPUs of all workers."""
    sampler = Sampler(InProcessScheduler(cluster.scheduler), "0123abcd")
    sampler.start(devices=True)
    try:
        async with asyncio.timeout(60):
            async for line in sampler.listen():
                event = EVENT.validate_json(line)
                if isinstance(event, Telemetry) and None not in event.sample.column("device"):
                    return event.sample
    finally:
        sampler.stop()
    raise AssertionError("the samples ended")


async def test_each_gpu_of_the_hosts_has_a_worker_of_dask_cuda(hosts, tmp_path):
    from distributed import Client

    def look(dask_worker: Any) -> Any:
        names = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "RAPIDS_NO_INITIALIZE")
        limits = (dask_worker.data.device_buffer.n, dask_worker.memory_manager.memory_limit)
        affinity = next(plugin for name, plugin in dask_worker.plugins.items() if name.startswith("CPUAffinity"))
        return [os.environ.get(name) for name in names], limits, sorted(affinity.cores), os.sched_getaffinity(0)

    options = {"memory_limit": "1 GiB", "resources": "GPU=1", "pre_import": ["json"]}
    async with (
        started(hosts, tmp_path, **options) as deployment,
        Client(deployment._cluster, asynchronous=True) as client,
    ):
        cluster = deployment._cluster
        assert "CUDA_VISIBLE_DEVICES" not in os.environ
        seen = await client.run(look)
        by_gpu = {found[0][0]: found for found in seen.values()}
        assert set(by_gpu) == {gpu_uuid(1), gpu_uuid(2), gpu_uuid(3)}
        for (_, order, initialize), (_, host_memory), near, allowed in by_gpu.values():
            assert (order, initialize, host_memory) == ("PCI_BUS_ID", "True", GIB)
            assert set(near) == allowed
        # 80 % of the host's own GPU, not of the smallest of all hosts.
        assert by_gpu[gpu_uuid(1)][1][0] == 64 * GIB
        assert by_gpu[gpu_uuid(3)][1][0] == 16 * GIB * 8 // 10 // 256 * 256
        for worker in cluster.scheduler.workers.values():
            assert deployment.device_of(str(worker.name)) == seen[worker.address][0][0]
        assert await client.submit(sum, [1, 2, 3], resources={"GPU": 1}) == 6

        sample = await measured(cluster)
        rows = zip(sample.column("vram_total_bytes"), sample.column("gpu_utilization_percent"), strict=True)
        figures = dict(zip(sample.column("device"), rows, strict=True))
        assert figures[gpu_uuid(1)] == (pytest.approx(80 * GIB, rel=1e-4), 7)
        assert figures[gpu_uuid(3)] == (pytest.approx(16 * GIB, rel=1e-4), 0)

        # The one that is freed is the one that is used again.
        cluster.scale(2)
        await settled(cluster, 2)
        cluster.scale(3)
        await settled(cluster, 3)
        again = await client.run(lambda: os.environ["CUDA_VISIBLE_DEVICES"])
        assert set(again.values()) == set(by_gpu)


async def test_the_idle_gpus_and_slices_come_first(hosts, tmp_path):
    async with started(hosts, tmp_path, hosts="big", n_workers=1) as deployment:
        assert deployment.device_of("0") == gpu_uuid(1)
    hosts["small"].write([gpu(3, mig=1), mig_slice(1, total=10240), mig_slice(2, total=10240)])
    backend, plan, _ = await _plan(hosts, tmp_path, hosts="small", device_memory_limit="50%")
    try:
        [host] = backend._pool.hosts
        assert host.gpus == [slice_uuid(1), slice_uuid(2)]
        assert host.gpu_options["device_memory_limit"] == 5 * GIB
        assert plan.maximum_workers == 2
    finally:
        await backend._pool.close()


async def test_missing_resources_of_hosts_are_refused(hosts, tmp_path):
    text = await refusal(hosts, tmp_path, hosts="small", rmm_pool_size="8 GiB")
    assert text.startswith("rmm_pool_size needs the package 'rmm', which is not installed on small: run pip install")
    text = await refusal(hosts, tmp_path, device_memory_limit="40 GiB")
    assert text.startswith("device_memory_limit is 40 GiB, but GPU 0 (Fake A16, small) has 16 GiB in total.")
    text = await refusal(hosts, tmp_path, hosts="small", pre_import=["no_such_module"])
    assert text == "The module 'no_such_module' of pre_import is not installed on small; install it, or omit it."
    hosts["small"].write([])
    text = await refusal(hosts, tmp_path, hosts="small", rmm_pool_size="8 GiB")
    assert text == "rmm_pool_size is for workers with a GPU, but none of the hosts has a usable GPU."


async def test_a_host_with_gpus_and_without_dask_cuda(hosts, tmp_path):
    without = tmp_path / "python"
    # As an environment in which it was not installed.
    program = "import importlib.metadata as m; v = m.version\\n"
    program += "def version(name):\\n if name == 'dask-cuda': raise m.PackageNotFoundError(name)\\n return v(name)\\n"
    program += "m.version = version\\n"
    (tmp_path / "sitecustomize.py").write_text(program.replace("\\n", "\n"))
    without.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n')
    without.chmod(0o755)
    text = await refusal(hosts, tmp_path, hosts="big", remote_python=str(without))
    assert "big: it has GPUs, but the Python" in text
    assert "has no dask-cuda. Run there:" in text
    assert "--no-use-gpus" in text
    _, plan, _ = plan_of = await _plan(hosts, tmp_path, hosts="big", remote_python=str(without), use_gpus=False)
    assert plan.has_gpus is False
    await plan_of[0]._pool.close()


async def test_failing_allocator_is_reported(hosts, tmp_path):
    # The real rmm, in a separate folder: on a simulated GPU it fails when it is requested.
    rmm = Path(sys.prefix) / "rmm"
    assert (rmm / "rmm" / "__init__.py").exists(), "installed by `make cuda-tests`"
    with_rmm = tmp_path / "python"
    with_rmm.write_text(f'#!/bin/sh\nPYTHONPATH={rmm} exec {sys.executable} "$@"\n')
    with_rmm.chmod(0o755)
    with pytest.raises(GPUClusterError) as error:
        async with started(hosts, tmp_path, hosts="small", remote_python=str(with_rmm), rmm_pool_size="1 GiB"):
            pass
    assert "The allocator requested by rmm_pool_size (1 GiB) could not be set up: choose a smaller pool" in str(
        error.value.message
    )
