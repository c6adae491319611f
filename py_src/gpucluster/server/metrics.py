"""Clusters, workers and GPUs as families of metrics, named by the conventions of Prometheus and OpenMetrics.

Names end with base units; ratios are from 0 to 1; figures that only grow are counters. A figure that is not measured
has no sample. The Jupyter server itself exports its metrics with ``prometheus_client``.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, StateSetMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest

from ..client.transport import is_sampled
from ..protocol.errors import GPUClusterError
from ..protocol.models import ClusterModel, ClusterState, HostDevices
from ..protocol.telemetry import TelemetrySample
from .api import ClusterAPIHandler
from .devices import DeviceReader


@dataclass(frozen=True)
class Figure:
    """A figure of the protocol, and its format.

    * `name`: of the metric, without ``gpucluster_`` and what comes before.
    * `unit`: the end of the name; empty for counts.
    * `divisor`: by which it becomes a base unit.
    * `grows`: whether it only grows, while the worker lives.
    """

    field: str
    name: str
    unit: str
    text: str
    divisor: float = 1.0
    grows: bool = False


WORKER_FIGURES = (
    Figure("age_seconds", "report_age_seconds", "seconds", "Age of the worker's last report"),
    Figure("n_threads", "threads", "", "Threads that run tasks"),
    Figure("executing", "tasks_executing", "", "Tasks that run"),
    Figure("ready", "tasks_ready", "", "Tasks that wait for a thread of the worker"),
    Figure("processing", "tasks_processing", "", "Tasks that the scheduler has given to the worker"),
    Figure("in_memory", "results", "", "Results that the worker holds"),
    Figure("cpu_percent", "cpu_ratio", "ratio", "CPU time, 1 is one core", 100),
    Figure("memory_bytes", "memory_bytes", "bytes", "Host memory of the worker"),
    Figure("memory_limit_bytes", "memory_limit_bytes", "bytes", "Host memory that the worker may use"),
    Figure("managed_bytes", "memory_managed_bytes", "bytes", "Host memory that Dask knows as results"),
    Figure("tier_device_bytes", "results_device_bytes", "bytes", "Results in GPU memory"),
    Figure("tier_host_bytes", "results_host_bytes", "bytes", "Results in host memory"),
    Figure("tier_disk_bytes", "results_disk_bytes", "bytes", "Results spilled to disk"),
    Figure("cudf_spilled_bytes", "cudf_spilled_bytes", "bytes", "Data frames that cuDF has moved to host memory"),
    Figure("vram_total_bytes", "vram_total_bytes", "bytes", "Memory of the worker's GPU"),
    Figure("vram_used_bytes", "vram_used_bytes", "bytes", "Used memory of that GPU, by any program"),
    Figure("vram_cluster_bytes", "vram_cluster_bytes", "bytes", "Part of it used by this cluster"),
    Figure("rmm_used_bytes", "rmm_used_bytes", "bytes", "Allocated through RMM"),
    Figure("rmm_pool_bytes", "rmm_pool_bytes", "bytes", "Size of the RMM pool"),
    Figure("gpu_utilization_percent", "gpu_utilization_ratio", "ratio", "Fraction of time in which a kernel ran", 100),
    Figure("gpu_power_watts", "gpu_power_watts", "watts", "Power draw of the worker's GPU"),
    Figure("gpu_temperature_celsius", "gpu_temperature_celsius", "celsius", "Temperature of the worker's GPU"),
    Figure("sent_bytes", "sent_bytes", "bytes", "Results sent since the worker's start", grows=True),
    Figure("received_bytes", "received_bytes", "bytes", "Results received since the worker's start", grows=True),
)
GPU_FIGURES = (
    Figure("memory_total_bytes", "memory_total_bytes", "bytes", "Memory of the GPU"),
    Figure("memory_used_bytes", "memory_used_bytes", "bytes", "Memory used by programs"),
    Figure("memory_reserved_bytes", "memory_reserved_bytes", "bytes", "Memory kept by the driver"),
    Figure("utilization_percent", "utilization_ratio", "ratio", "Fraction of time in which a kernel ran", 100),
    Figure("power_watts", "power_watts", "watts", "Power draw"),
    Figure("power_limit_watts", "power_limit_watts", "watts", "Power limit"),
    Figure("temperature_celsius", "temperature_celsius", "celsius", "Temperature"),
)


def cluster_families(models: Sequence[ClusterModel], samples: dict[str, TelemetrySample]) -> Iterator[Metric]:
    """Yield the metrics of clusters and their workers.

    `models`: all clusters; ended ones are only counted, since another one may have the same name. `samples`: the newest
    figures by the cluster's id, as far as known.
    """
    states = Counter(model.state for model in models)
    number = GaugeMetricFamily("gpucluster_clusters", "Clusters by state.", labels=["state"])
    for state in ClusterState:
        number.add_metric([state.value], states[state])
    yield number
    living = [model for model in models if not model.state.ended]
    info = InfoMetricFamily("gpucluster_cluster", "What kind of cluster it is.", labels=["cluster"])
    current = StateSetMetricFamily("gpucluster_cluster_state", "State of the cluster.", labels=["cluster"])
    for model in living:
        info.add_metric([model.name], {"id": model.id, "backend": model.backend})
        current.add_metric([model.name], {state.value: state is model.state for state in ClusterState})
    yield from (info, current)
    for kind, text, figures in (
        ("workers", "Workers that are connected.", [model.n_workers for model in living]),
        ("workers_pending", "Workers that have not connected yet.", [model.n_pending for model in living]),
        ("clients", "Clients that are connected.", [model.n_clients for model in living]),
        ("up", "Whether its process has reported metrics.", [int(model.id in samples) for model in living]),
    ):
        gauge = GaugeMetricFamily(f"gpucluster_cluster_{kind}", text, labels=["cluster"])
        for model, amount in zip(living, figures, strict=True):
            gauge.add_metric([model.name], amount)
        yield gauge
    sampled = {model.name: samples[model.id] for model in living if model.id in samples}
    tasks = GaugeMetricFamily("gpucluster_cluster_tasks", "Tasks by state.", labels=["cluster", "state"])
    for name, sample in sampled.items():
        for task_state, count in sample.tasks.items():
            tasks.add_metric([name, task_state], count)
    yield tasks
    for figure in WORKER_FIGURES:
        family = _family("gpucluster_worker_", figure, ["cluster", "worker"])
        for name, sample in sampled.items():
            for worker, value in zip(sample.workers, sample.column(figure.field), strict=False):
                if isinstance(value, (int, float)):
                    family.add_metric([name, worker], value / figure.divisor)
        yield family


def gpu_families(host: HostDevices) -> Iterator[Metric]:
    info = InfoMetricFamily("gpucluster_gpu", "Which GPU or MIG slice it is.", labels=["uuid"])
    readable = GaugeMetricFamily("gpucluster_gpu_up", "Whether the GPU can be read.", labels=["uuid"])
    for device in host.devices:
        about = {"gpu": device.index, "name": device.name, "parent_uuid": device.parent_uuid}
        info.add_metric([device.uuid], {name: str(value) for name, value in about.items() if value is not None})
        readable.add_metric([device.uuid], device.error is None)
    yield from (info, readable)
    for figure in GPU_FIGURES:
        family = _family("gpucluster_gpu_", figure, ["uuid"])
        for device in host.devices:
            value = getattr(device, figure.field)
            if value is not None:
                family.add_metric([device.uuid], value / figure.divisor)
        yield family


def _family(prefix: str, figure: Figure, labels: Sequence[str]) -> CounterMetricFamily | GaugeMetricFamily:
    make = CounterMetricFamily if figure.grows else GaugeMetricFamily
    return make(prefix + figure.name, f"{figure.text}.", labels=labels, unit=figure.unit)


class Families:
    """Stands for a registry in ``generate_latest``."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return [family for family in self._families if family.samples]


ANSWER_SECONDS = 5.0  # Timeout per cluster: Prometheus waits ten seconds for all of them.


class MetricsHandler(ClusterAPIHandler):
    polled = True
    devices: DeviceReader

    async def get(self) -> None:
        models = await self.control.list()
        samples, host = await asyncio.gather(self._samples(models), self.devices.read())
        text = await asyncio.to_thread(
            generate_latest, Families([*cluster_families(models, samples), *gpu_families(host)])
        )
        self.finish(text, set_content_type=CONTENT_TYPE_LATEST)

    async def _samples(self, models: Sequence[ClusterModel]) -> dict[str, TelemetrySample]:
        ids = [model.id for model in models if is_sampled(model)]
        samples = await asyncio.gather(*map(self._sample, ids))
        return {id: sample for id, sample in zip(ids, samples, strict=True) if sample is not None}

    async def _sample(self, id: str) -> TelemetrySample | None:
        try:
            return await self.control.sample(id, timeout=ANSWER_SECONDS)
        except GPUClusterError:
            return None  # It is busy, or has just ended; the others are still reported.
