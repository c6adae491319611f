"""Cost for the scheduler and size of one sample of a thousand workers, compared with ``Scheduler.identity``."""

from __future__ import annotations

import asyncio
import gzip
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from distributed import Scheduler
from distributed.core import Status
from distributed.protocol.core import dumps
from distributed.scheduler import WorkerState
from gpucluster.backends.scheduler.in_process import InProcessScheduler
from gpucluster.supervisor.figures.sampler import History, Sampler
from gpucluster.telemetry.columns import COLUMNS, METRIC, RATE_DIGITS, VERSION, coarse, rounded, size

GIB = 2**30
WORKERS = 1000


def gpu_row(random_: random.Random) -> list[Any]:
    """Return what a busy worker on an 80 GiB GPU sends: every column measured, every worker different.

    Memory, counters and ids are as random as they can be; power, temperature, load and traffic as on busy GPUs.
    """
    used = random_.uniform(20, 70) * GIB
    tiers = [random_.uniform(1, 20) * GIB for _ in range(2)]
    rates = [rounded(random_.lognormvariate(0, 1) * GIB, RATE_DIGITS) for _ in range(4)]
    figures = {
        "executing": random_.randint(0, 1),
        "ready": random_.randint(0, 40),
        "in_memory": random_.randint(0, 300),
        "cpu_percent": rounded(random_.triangular(0, 200, 100), RATE_DIGITS),
        "memory_bytes": size(random_.uniform(2, 30) * GIB),
        "managed_bytes": size(tiers[0]),
        "tier_device_bytes": size(tiers[1]),
        "tier_device_limit_bytes": size(64 * GIB),
        "tier_host_bytes": size(tiers[0]),
        "tier_disk_bytes": 0,
        "device": f"GPU-{random_.getrandbits(128):032x}",
        "vram_total_bytes": size(80 * GIB),
        "vram_used_bytes": size(used),
        "vram_cluster_bytes": size(used - 0.5 * GIB),
        "rmm_used_bytes": size(used * random_.random()),
        "rmm_pool_bytes": size(72 * GIB),
        "gpu_utilization_percent": min(100, round(random_.triangular(40, 125, 100))),
        "gpu_power_watts": round(random_.gauss(520, 70)),
        "gpu_power_limit_watts": 700,
        "gpu_temperature_celsius": round(random_.gauss(62, 6)),
        "pcie_sent_bytes_per_second": rates[0],
        "pcie_received_bytes_per_second": rates[1],
        "nvlink_sent_bytes_per_second": rates[2],
        "nvlink_received_bytes_per_second": rates[3],
        "sent_bytes": random_.randrange(10**10),
        "received_bytes": random_.randrange(10**10),
    }
    return [VERSION, *map(coarse(figures).get, COLUMNS)]


def _cpu_row(random_: random.Random) -> list[Any]:
    """Return what a busy CPU worker sends."""
    row = dict(zip(COLUMNS, gpu_row(random_)[1:], strict=True))
    kept = {name: value for name, value in row.items() if not name.startswith(("vram", "gpu", "rmm", "pcie", "nvlink"))}
    return [VERSION, *map((kept | {"device": None, "tier_device_bytes": None}).get, COLUMNS)]


def metrics_of(row: list[Any]) -> dict[str, Any]:
    """Return a heartbeat's metrics as a worker of distributed sends them."""
    host = {"read_bps": 0.0, "write_bps": 0.0}
    return {
        "task_counts": {"memory": 12, "executing": 1, "ready": 3},
        "bandwidth": {"total": 100_000_000, "workers": {}, "types": {}},
        "digests_total_since_heartbeat": {"tick-duration": 0.5, "latency": 0.002},
        "managed_bytes": 1_000_000_000,
        "spilled_bytes": {"memory": 0, "disk": 0},
        "transfer": dict.fromkeys(
            ["incoming_bytes", "incoming_count", "incoming_count_total", "outgoing_bytes", "outgoing_count"], 0
        ),
        "event_loop_interval": 0.02,
        "cpu": 12.0,
        "memory": 2_000_000_000,
        "time": 1_700_000_000.0,
        "host_net_io": host,
        "host_disk_io": host,
        "num_fds": 40,
        METRIC: row,
    }


async def _scheduler(row: Callable[[random.Random], list[Any]]) -> Scheduler:
    """Return a real scheduler that knows a thousand workers, and tasks of ten kinds."""
    scheduler: Scheduler = await Scheduler(dashboard_address=None, host="127.0.0.1")
    random_ = random.Random(0)
    for number in range(WORKERS):
        address = f"tls://10.0.{number // 250}.{number % 250}:40000"
        worker = WorkerState(
            address=address,
            status=Status.running,
            pid=10_000 + number,
            name=f"SLURMCluster-{number // 8}-{number % 8}",
            nthreads=1,
            memory_limit=64 * GIB,
            local_directory="/scratch/dask",
            nanny=f"tls://10.0.{number // 250}.{number % 250}:41000",
            server_id=f"Worker-{random_.getrandbits(128):032x}",
            services={"dashboard": 30_000},
            versions={},
            extra={},
            scheduler=scheduler,
        )
        worker.metrics = metrics_of(row(random_))
        worker.last_seen = time.time() - random_.uniform(0, 6)
        scheduler.workers[address] = worker
    for kind in range(10):
        for number in range(200):
            scheduler.new_task((f"kind-{kind}", number), None, "released")
    return scheduler


# Of the processor, not of the clock: the machine may do other things meanwhile.
def _milliseconds(work: Callable[[], object], repeats: int) -> list[float]:
    times = []
    for _ in range(repeats):
        started = time.thread_time()
        work()
        times.append(1000 * (time.thread_time() - started))
    return times


async def _measure(repeats: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, row in (("GPU workers", gpu_row), ("CPU workers", _cpu_row)):
        scheduler = await _scheduler(row)
        sampler, history = Sampler(InProcessScheduler(scheduler), "0000000a"), History("0000000a")

        def ours(sampler: Sampler = sampler, history: History = history) -> bytes:
            columns = sampler.read()
            history.add(columns)
            return sampler.encoded(columns)

        def peer(scheduler: Scheduler = scheduler) -> list[Any]:
            return dumps(scheduler.identity(n_workers=-1))

        ours(), peer()
        times: dict[str, list[float]] = {"gpucluster": [], "identity() and msgpack": []}
        for _ in range(repeats):  # In turn, so that a noisy machine is noisy to both.
            times["gpucluster"] += _milliseconds(ours, 1)
            times["identity() and msgpack"] += _milliseconds(peer, 1)
        line = ours()
        found[name] = {
            "milliseconds": {who: round(statistics.median(values), 3) for who, values in times.items()},
            "bytes": {
                "gpucluster": len(line),
                "gpucluster, on the wire": len(gzip.compress(line)),
                "identity() and msgpack": sum(map(len, peer())),
            },
        }
        scheduler.workers.clear()
        await scheduler.close()
    return found


def sample_of_a_thousand(repeats: int) -> dict[str, Any]:
    """Return scheduler time and size of one sample, history included, and the peer's in the same run."""
    return asyncio.run(_measure(10 * repeats))
