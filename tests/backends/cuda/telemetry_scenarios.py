"""Scenes with the sampler of a supervisor, on a real ``LocalCUDACluster`` whose machine changes while it runs."""

import asyncio
import os
import time
from collections.abc import Callable
from typing import Any

import scenarios
from gpucluster.backends.scheduler.in_process import InProcessScheduler
from gpucluster.protocol.models import EVENT, Telemetry
from gpucluster.protocol.telemetry import TelemetrySample
from gpucluster.supervisor.figures.sampler import Sampler

COLUMNS = (
    "device", "device_error", "vram_total_bytes", "vram_used_bytes", "vram_cluster_bytes", "gpu_utilization_percent",
    "gpu_power_watts", "gpu_power_limit_watts", "gpu_temperature_celsius", "pcie_sent_bytes_per_second",
    "pcie_received_bytes_per_second", "nvlink_sent_bytes_per_second", "nvlink_received_bytes_per_second",
    "tier_device_bytes", "tier_device_limit_bytes", "tier_host_bytes", "tier_disk_bytes", "rmm_used_bytes",
    "rmm_pool_bytes",
)  # fmt: skip


class Watch:
    """Reads samples until one fulfils a condition."""

    def __init__(self, cluster: Any) -> None:
        self.scheduler = cluster.scheduler
        self.sampler = Sampler(InProcessScheduler(cluster.scheduler), "0000000a")
        self.sampler.start(devices=True)

    async def until(self, condition: Callable[[TelemetrySample], Any]) -> dict[str, Any]:
        """Return the figures of the first complete sample that fulfils the condition."""
        last = None

        async def wait() -> dict[str, Any]:
            nonlocal last
            async for line in self.sampler.listen():
                event = EVENT.validate_json(line)
                assert isinstance(event, Telemetry)
                last = sample = event.sample
                if None not in (*sample.column("sent_bytes"), *sample.column("device")) and condition(sample):
                    return {"workers": sample.workers} | {name: sample.column(name) for name in COLUMNS}
            raise AssertionError("the samples ended")

        try:
            return await asyncio.wait_for(wait(), 60)
        except TimeoutError:
            raise AssertionError(f"did not happen; last: {last!r}") from None

    def pids(self) -> list[int]:
        """Return the workers' processes, by name."""
        return [worker.pid for worker in sorted(self.scheduler.workers.values(), key=lambda worker: str(worker.name))]


def change(text: str) -> None:
    """Change the machine to that of the text."""
    new = scenarios.FAKE_NVML.with_suffix(".changed")
    new.write_text(text)
    new.replace(scenarios.FAKE_NVML)


async def figures(spec: scenarios.Spec) -> Any:
    """Return the first complete figures, and those after each change in CHANGES, separated by lines of '---'.

    PID0, PID1 … stand for the workers' processes, SELF for the supervisor's.
    """
    async with scenarios.started(spec) as cluster:
        watch = Watch(cluster)
        found = [await watch.until(lambda sample: True)]
        for text in filter(None, os.environ.get("CHANGES", "").split("---\n")):
            for number, pid in enumerate(watch.pids()):
                text = text.replace(f"PID{number}", str(pid))
            before = {name: found[-1][name] for name in COLUMNS}
            change(text.replace("SELF", str(os.getpid())))
            found.append(
                await watch.until(lambda sample, before=before: {n: sample.column(n) for n in COLUMNS} != before)
            )
        watch.sampler.stop()
        return found


async def rates(spec: scenarios.Spec) -> Any:
    """Let the counters grow, and return the first rates that are not zero."""
    base = scenarios.FAKE_NVML.read_text()
    async with scenarios.started(spec) as cluster:
        watch = Watch(cluster)
        first = await watch.until(lambda sample: True)

        async def grow() -> None:
            for step in range(1, 400):
                counters = (step * 1_000_000, step * 2_000_000, step * 1024, step * 2048)
                change(
                    base.replace(
                        "pcie_sent=0 pcie_received=0 nvlink_sent=0 nvlink_received=0",
                        "pcie_sent={} pcie_received={} nvlink_sent={} nvlink_received={}".format(*counters),
                    )
                )
                await asyncio.sleep(0.2)

        growing = asyncio.ensure_future(grow())
        found = await watch.until(lambda sample: (sample.column("nvlink_received_bytes_per_second")[0] or 0) > 0)
        growing.cancel()
        watch.sampler.stop()
        return [first, found]


async def joins_later(spec: scenarios.Spec) -> Any:
    async with scenarios.started(spec) as cluster:
        watch = Watch(cluster)
        await watch.until(lambda sample: True)
        cluster.scale(2)
        return await watch.until(lambda sample: len(sample.workers) == 2)


def _slow_result(number: int) -> bytes:
    time.sleep(0.15)
    return bytes([number]) * (10 * 2**20)


async def spills(spec: scenarios.Spec) -> Any:
    """Hold more results in host memory than the worker may, and return the tiers before and after."""
    from distributed import Client

    async with scenarios.started(spec) as cluster, Client(cluster, asynchronous=True) as client:
        watch = Watch(cluster)
        before = await watch.until(lambda sample: True)
        # In small and slow steps: memory is checked ten times a second, and a worker above 95 % of its limit is killed.
        futures = client.map(_slow_result, range(40), pure=False)
        after = await watch.until(lambda sample: (sample.column("tier_disk_bytes")[0] or 0) > 0)
        del futures
        cleared = await watch.until(lambda sample: sample.column("tier_disk_bytes") == [0])
        return [before, after, cleared]
