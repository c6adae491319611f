"""The options of a simulated cluster, the figures of its workers, and ten minutes of them from before its start."""

import argparse
import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from distributed.scheduler import heartbeat_interval
from gpucluster.supervisor.figures.sampler import SECONDS, History
from gpucluster.telemetry.columns import COLUMNS, MANY_SECONDS, METRIC, RATE_DIGITS, VERSION, coarse, rounded, size

RMM_STATES = ("tracked", "untracked", "none")  # A pool whose use is counted, a pool whose use is not, no RMM.


def _option(default: Any, help: str, **more: Any) -> Any:
    return field(default=default, metadata={"help": help, **more})


@dataclass(frozen=True)
class Simulation:
    workers: int = _option(4, "1 to 1000")
    gpus: bool = _option(False, "one GPU per worker")
    mig: bool = _option(False, "one MIG slice per worker")
    lost: int = _option(0, "workers whose GPU cannot be read; the last ones")
    rmm: str = _option("tracked", "state of RMM; mixed: all of them in turn", choices=[*RMM_STATES, "mixed"])
    name: str | None = _option(None, "name of the cluster")
    threads: int = _option(2, "threads per CPU worker")
    tasks_per_second: float = _option(50.0, "0: idle, without a client")
    seed: int = _option(0, "of its random figures")
    past: bool = _option(False, "begin with ten simulated minutes of history")
    arriving: int = _option(1000, "the most workers that come; with more, it never finishes to start or scale")
    waiting: str | None = _option(None, "its workers are jobs that end in 43 min, and this is why the others wait")
    per_host: int | None = _option(None, "workers on each machine; default: 8, or 4 if they are jobs", type=int)

    @property
    def on_gpus(self) -> bool:
        return self.gpus or self.mig

    def rmm_of(self, number: int) -> str:
        return RMM_STATES[number % len(RMM_STATES)] if self.rmm == "mixed" else self.rmm


def parse(arguments: Sequence[str] | None = None) -> Simulation:
    parser = argparse.ArgumentParser(prog="python -m tests.fakes.cluster", description="A simulated cluster.")
    for one in fields(Simulation):
        kind: dict[str, Any] = {"action": "store_true"}
        if one.default is not False:
            kind = {"type": str if one.default is None else type(one.default), "default": one.default}
        parser.add_argument(f"--{one.name.replace('_', '-')}", **{**kind, **one.metadata})
    options = parser.parse_args(arguments)
    if not 1 <= options.workers <= 1000:
        parser.error("--workers must be from 1 to 1000")
    return Simulation(**vars(options))


GIB = 2**30
MIB = 2**20
HOST_LIMIT = 64 * GIB
CONTEXT_BYTES = 480 * MIB  # GPU memory that CUDA itself takes for one process.
GPUS_OF_MACHINE = 8  # Default number of workers on each simulated machine.


def device_of(number: int, *, mig: bool) -> str:
    """Return the UUID of a worker's GPU, the same for the same number."""
    return f"{'MIG' if mig else 'GPU'}-{number:08x}-5eed-4000-8000-{number * 2654435761 % 2**48:012x}"


class Figures:
    """The measurements of one worker. `number`: its position."""

    def __init__(self, simulation: Simulation, number: int) -> None:
        self.on_gpu = simulation.on_gpus
        self.rmm = simulation.rmm_of(number)
        per_host = simulation.per_host or GPUS_OF_MACHINE
        self.device = device_of(number, mig=simulation.mig) if self.on_gpu else None
        self.machine, self.place = f"node{number // per_host + 1}", number % per_host
        self.lost = self.on_gpu and number >= simulation.workers - simulation.lost
        self.threads = 1 if self.on_gpu else simulation.threads
        self._random = random.Random(simulation.seed * 1_000_003 + number)
        self._phase = self._random.uniform(0, 2 * math.pi)
        self.vram_total = (10 if simulation.mig else 80) * GIB
        self.device_limit = int(0.8 * self.vram_total)
        # Every fifth GPU is also used by other programs.
        self.others = int(self.vram_total * (0.17 if number % 5 == 4 else 0.006))
        self._load = 0.0
        self._pool = self.vram_total // 4
        self._sent = self._received = self._at = 0.0
        self.holding = 0
        """Bytes of the results that the worker has."""
        self.executing = 0

    def advance(self, now: float) -> None:
        """Advance all figures to a time in seconds since the epoch."""
        passed = min(10.0, now - self._at) if self._at else 1.0
        self._at = now
        busy = min(1.0, self.executing / self.threads)
        self._load += (busy - self._load) * (1 - math.exp(-passed / 2))
        wave = 0.5 + 0.5 * math.sin(now / 17 + self._phase)
        self.wave = wave
        self.utilization = round(min(100.0, max(0.0, self._load * (62 + 36 * wave) + self._random.uniform(-3, 3))))
        self.cpu = max(0.3, 100 * self.threads * self._load * (0.6 + 0.35 * wave) + self._random.uniform(0, 4))
        # Temporary memory of running tasks comes on top of the results.
        working = int(self._load * wave * 0.12 * self.vram_total)
        self.tier_device = min(self.holding, self.device_limit) if self.on_gpu else 0
        beyond = self.holding - self.tier_device
        self.tier_host = min(beyond, int(0.6 * HOST_LIMIT))
        self.tier_disk = beyond - self.tier_host
        self.rmm_maximum = int(0.9 * self.vram_total)
        self.rmm_used = min(self.rmm_maximum, self.tier_device + working)
        while self._pool < min(self.rmm_used * 1.05, self.rmm_maximum):
            self._pool = min(self.rmm_maximum, self._pool + self.vram_total // 16)
        inside = self.rmm_used if self.rmm == "none" else self._pool
        self.vram_cluster = min(self.vram_total - self.others, CONTEXT_BYTES + inside)
        self.memory = int(620 * MIB + self.tier_host + (0 if self.on_gpu else working // 40) + wave * 80 * MIB)
        rate = self._load * 180 * MIB * (0.4 + wave)
        self.sending, self.receiving = rate, rate * (0.7 + 0.6 * self._random.random())
        self._sent += passed * self.sending
        self._received += passed * self.receiving

    @property
    def sent(self) -> int:
        return int(self._sent)

    @property
    def received(self) -> int:
        return int(self._received)

    def metrics(self, *, ready: int, in_memory: int, many: bool) -> dict[str, Any]:
        """Return the metrics in a heartbeat of distributed, with fewer digits if there are many workers."""
        found: dict[str, Any] = {
            "task_counts": {"executing": self.executing, "ready": ready, "memory": in_memory},
            "bandwidth": {"total": 100_000_000, "workers": {}, "types": {}},
            "digests_total_since_heartbeat": {"tick-duration": 0.5, "latency": 0.001},
            "managed_bytes": self.holding,
            # dask-cuda's store does not report here.
            "spilled_bytes": dict.fromkeys(("memory", "disk"), 0 if self.on_gpu else self.tier_disk),
            "transfer": {
                "incoming_bytes": int(self.receiving),
                "incoming_count": int(self.executing),
                "incoming_count_total": self.received // (8 * MIB),
                "outgoing_bytes": int(self.sending),
                "outgoing_count": int(self.executing),
                "outgoing_count_total": self.sent // (8 * MIB),
            },
            "event_loop_interval": 0.02 + 0.004 * self.wave,
            "cpu": round(self.cpu, 1),
            "memory": self.memory,
            "time": time.time(),
            "host_net_io": {"read_bps": self.receiving, "write_bps": self.sending},
            "host_disk_io": {"read_bps": 0.0, "write_bps": self._load * 4e6},
            "num_fds": 60,
            "cudf": {"cudf-spilled": None},
            "rmm": {"rmm-used": None, "rmm-total": None},
        }
        if self.on_gpu and not self.lost:
            found["gpu-memory-total"] = self.vram_total
            found["gpu_utilization"] = self.utilization
            found["gpu_memory_used"] = self.vram_cluster + self.others
        if self.rmm != "none" and self.on_gpu:
            used = self.rmm_used if self.rmm == "tracked" else 0
            found["rmm"] = {"rmm-used": used, "rmm-total": max(used, self._pool)}
        found[METRIC] = self.row(ready=ready, in_memory=in_memory, many=many)
        return found

    def row(self, *, ready: int, in_memory: int, many: bool) -> list[Any]:
        """Return the row of our own plugin in a heartbeat."""
        figures: dict[str, Any] = {
            "host": self.machine, "executing": self.executing, "ready": ready, "in_memory": in_memory,
            "cpu_percent": rounded(self.cpu, RATE_DIGITS), "memory_bytes": size(self.memory),
            "managed_bytes": size(self.tier_host), "tier_host_bytes": size(self.tier_host),
            "tier_disk_bytes": size(self.tier_disk), "sent_bytes": self.sent, "received_bytes": self.received,
        }  # fmt: skip
        if self.on_gpu:
            figures |= self._device_figures()
        if many:
            figures = coarse(figures)
        return [VERSION, *map(figures.get, COLUMNS)]

    def _device_figures(self) -> dict[str, Any]:
        figures: dict[str, Any] = {
            "device": self.device,
            "device_index": self.place if self.device is not None and self.device.startswith("GPU-") else None,
            "tier_device_bytes": size(self.tier_device),
            "tier_device_limit_bytes": self.device_limit,
        }
        if self.rmm != "none":
            figures |= {"rmm_pool_bytes": size(self._pool), "rmm_maximum_bytes": size(self.rmm_maximum)}
        if self.rmm == "tracked":
            figures["rmm_used_bytes"] = size(self.rmm_used)
        if self.lost:
            return figures | {"device_error": "The GPU is lost: it has fallen off the bus. Restart the machine."}
        figures |= {
            "vram_total_bytes": self.vram_total,
            "vram_used_bytes": size(self.vram_cluster + self.others),
            "vram_cluster_bytes": size(self.vram_cluster),
            "gpu_utilization_percent": self.utilization,
        }
        if self.device is not None and self.device.startswith("GPU-"):
            figures |= {
                "gpu_power_watts": round(68 + 3.1 * self.utilization),
                "gpu_power_limit_watts": 400,
                "gpu_temperature_celsius": round(31 + 0.4 * self.utilization),
                "pcie_sent_bytes_per_second": size(self.sending),
                "pcie_received_bytes_per_second": size(self.receiving),
                "nvlink_sent_bytes_per_second": size(3 * self.sending),
                "nvlink_received_bytes_per_second": size(3 * self.receiving),
            }
        return figures


def invent(history: History, simulation: Simulation, *, seconds_apart: float) -> None:
    """Add readings of the last ten minutes to an empty history, oldest first."""
    chance = random.Random(simulation.seed)
    workers = [Figures(simulation, number) for number in range(simulation.workers)]
    names = [
        device_of(number, mig=simulation.mig) if simulation.on_gpus else str(number)
        for number in range(simulation.workers)
    ]
    here, clock = time.monotonic(), time.time()
    ago = SECONDS - 1.0
    many = heartbeat_interval(len(workers)) > MANY_SECONDS
    while ago > seconds_apart:
        # Rounds of work, with a pause between two of them.
        busy = math.sin((SECONDS - ago) / 23) > -0.6
        rows = []
        for figures in workers:
            figures.executing = figures.threads if busy and chance.random() < 0.9 else 0
            figures.holding = int((0.4 if busy else 0.1) * figures.vram_total * chance.uniform(0.9, 1.1))
            figures.advance(clock - ago)
            rows.append(figures.row(ready=2 * figures.executing, in_memory=12, many=many))
        columns = {"workers": names, "processing": [3 * figures.executing for figures in workers]}
        history.add(columns | dict(zip(COLUMNS, list(zip(*rows, strict=True))[1:], strict=True)), here - ago)
        ago -= seconds_apart
