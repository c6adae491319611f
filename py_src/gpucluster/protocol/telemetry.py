"""Measured figures: ``TelemetrySample``, ``TelemetryHistory`` and their parts.

A figure that is not measured is null, never zero.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar, get_args, get_origin

from pydantic import BaseModel, Field


class WireModel(BaseModel, frozen=True, extra="forbid", json_schema_serialization_defaults_required=True):
    """Base of all models that are sent."""


# One value per worker, or one that holds for all workers. Null: not measured.
Integers: TypeAlias = list[int | None] | int | None
Numbers: TypeAlias = list[float | None] | float | None
Texts: TypeAlias = list[str | None] | str | None


class PrefixProgress(WireModel, json_schema_serialization_defaults_required=False):  # The wire has no counts of zero.
    """Progress of one kind of tasks. The prefix is the common start of their keys, such as 'inc'."""

    prefix: str
    waiting: int = Field(0, description="Wait for other tasks, for a worker or for room.")
    processing: int = Field(0, description="Are at a worker.")
    in_memory: int = Field(0, description="Are finished; the workers hold the results.")
    released: int = Field(0, description="Are finished; the results are not needed any more.")
    erred: int = 0


class TelemetrySample(WireModel, json_schema_serialization_defaults_required=False):
    """One reading of a cluster, columnar: the i-th entry of a list belongs to the i-th worker.

    A column that is the same for all workers is a single value; ``column`` expands it. Sizes that gauges show have
    five significant digits; counters are exact. Above 200 workers there are fewer digits, and ``device`` is the
    beginning of the UUID. Columns without measurements are left out on the wire, so they are optional for readers.
    """

    id: str = Field(description="Cluster.")
    at: str = Field(description="When the sample was taken.")
    workers: list[str] = Field(description="Names of the workers.")
    age_seconds: Numbers = Field(None, description="Age of the worker's last report.")
    n_threads: Integers = Field(None, description="Threads that run tasks.")

    processing: Integers = Field(None, description="Tasks that the scheduler has given to the worker.")
    executing: Integers = Field(None, description="Tasks that run.")
    ready: Integers = Field(None, description="Tasks that wait for a thread of the worker.")
    in_memory: Integers = Field(None, description="Results that the worker holds.")

    cpu_percent: Numbers = Field(None, description="CPU time; 100 is one core.")
    memory_bytes: Integers = Field(None, description="Host memory of the worker process.")
    memory_limit_bytes: Integers = Field(None, description="Host memory that it may use; null if unlimited.")
    managed_bytes: Integers = Field(None, description="Host memory that Dask knows as results; the rest is unmanaged.")

    tier_device_bytes: Integers = Field(None, description="Results that Dask holds in GPU memory.")
    tier_device_limit_bytes: Integers = Field(
        None, description="device_memory_limit: results above it move to host memory; null if unlimited."
    )
    tier_host_bytes: Integers = Field(None, description="Results that Dask holds in host memory.")
    tier_disk_bytes: Integers = Field(None, description="Results that Dask has spilled to disk.")
    cudf_spilled_bytes: Integers = Field(None, description="Data frames that cuDF moved from GPU to host memory.")

    host: Texts = Field(None, description="Name of the worker's machine, without its domain.")
    device: Texts = Field(None, description="UUID of the worker's GPU or MIG slice; null if it has no GPU.")
    device_index: Integers = Field(None, description="Number of that GPU, as in nvidia-smi; null for slices.")
    device_error: Texts = Field(None, description="Why the worker's GPU cannot be read.")
    vram_total_bytes: Integers = Field(None, description="Memory of the worker's GPU.")
    vram_used_bytes: Integers = Field(None, description="Used memory of that GPU, by any program.")
    vram_cluster_bytes: Integers = Field(
        None, description="Part of it used by this cluster's processes; null if unknown."
    )
    rmm_used_bytes: Integers = Field(None, description="Allocated through RMM now; null without RMM or tracking.")
    rmm_pool_bytes: Integers = Field(None, description="Size of the RMM pool now; null if there is none.")
    rmm_maximum_bytes: Integers = Field(None, description="What RMM may grow to; null if unlimited.")
    gpu_utilization_percent: Numbers = Field(None, description="Percentage of time in which a kernel ran on the GPU.")
    gpu_power_watts: Numbers = Field(None, description="Power draw of the GPU.")
    gpu_power_limit_watts: Numbers = Field(None, description="Power limit of the GPU.")
    gpu_temperature_celsius: Numbers = None
    pcie_sent_bytes_per_second: Integers = Field(None, description="From the GPU over PCIe.")
    pcie_received_bytes_per_second: Integers = Field(None, description="To the GPU over PCIe.")
    nvlink_sent_bytes_per_second: Integers = Field(None, description="From the GPU over NVLink.")
    nvlink_received_bytes_per_second: Integers = Field(None, description="To the GPU over NVLink.")

    sent_bytes: Integers = Field(None, description="Results sent to workers and clients since the worker's start.")
    received_bytes: Integers = Field(None, description="Results received from other workers since the worker's start.")

    host_memory_bytes: int | None = Field(
        None, description="Memory of the workers' machine; null if several, or unknown."
    )
    host_cores: int | None = Field(None, description="Cores of that machine.")
    host_others_cores: float | None = Field(None, description="Cores of it that other programs use; null if unknown.")
    tasks: dict[str, int] = Field(default_factory=dict, description="Number of tasks by state, in the whole cluster.")
    progress: list[PrefixProgress] = Field(default_factory=list, description="At most 30 kinds of tasks, newest last.")

    @classmethod
    def column_names(cls) -> list[str]:
        """Return the fields that may have one entry per worker."""
        kinds = {name: get_args(field.annotation) for name, field in cls.model_fields.items()}
        return [name for name, kind in kinds.items() if any(get_origin(one) is list for one in kind)]

    def column(self, name: str) -> list[int | float | str | None]:
        """Return one entry per worker of the column of that name."""
        values = getattr(self, name)
        return values if isinstance(values, list) else [values] * len(self.workers)


class WorkerHistory(WireModel):
    """The last minutes of one worker; null where it was not there or did not measure."""

    cpu_percent: list[float | None]
    memory_bytes: list[int | None]
    gpu_utilization_percent: list[float | None] | None = Field(None, description="Null: no GPU.")
    vram_used_bytes: list[int | None] | None = Field(None, description="Null: no GPU.")


class TelemetryHistory(WireModel):
    """The last ten minutes of a cluster, oldest first.

    Totals have one entry per ``seconds``. Workers have one per ``worker_seconds``, which is coarser the more workers
    there are.
    """

    id: str = Field(description="Cluster.")
    at: str = Field(description="The moment that both time scales count from: the newest sample.")
    seconds: list[float] = Field(default_factory=list, description="Time of each total; zero or negative.")
    n_workers: list[int | None] = Field(default_factory=list, description="Number of workers; empty: not known.")
    cpu_percent: list[float | None] = Field(default_factory=list, description="Mean of the workers.")
    memory_bytes: list[int | None] = Field(default_factory=list, description="Sum over the workers.")
    gpu_utilization_percent: list[float | None] = Field(default_factory=list, description="Mean of the devices.")
    vram_used_bytes: list[int | None] = Field(default_factory=list, description="Sum over the devices.")
    rmm_used_bytes: list[int | None] = Field(default_factory=list, description="Sum over the workers.")
    processing: list[int | None] = Field(default_factory=list, description="Tasks at workers.")
    tier_disk_bytes: list[int | None] = Field(default_factory=list, description="Sum over the workers.")
    worker_seconds: list[float] = Field(default_factory=list)
    workers: dict[str, WorkerHistory] = Field(default_factory=dict, description="By name.")


class ActivityEntry(WireModel):
    """Something that happened to a cluster: a request with its time and result, or an event."""

    at: str
    kind: str = Field(
        description="Stable name: that of a verb, 'create', 'idle_timeout', 'record', 'release', 'stop' or 'message' "
        "for what was asked; 'state', 'worker_joined', 'worker_left', 'worker_died', 'spill', 'pause', "
        "'gpu', 'done', 'not_done', 'recorded', 'profile', 'link', 'failure' for what happened."
    )
    by: str | None = Field(None, description="Client that made the request: 'JupyterLab', 'notebook, process 4711', …")
    message: str = Field(description="What it was.")


class TaskFailure(WireModel):
    """The last failure of a kind of task, as its worker reported it."""

    task: str = Field(description="Common prefix of the keys of these tasks, such as 'inc'.")
    n_tasks: int = Field(description="How many of them have failed.")
    key: str
    error: str = Field(description="Type and message of the exception.")
    traceback: str = Field(description="As Python prints it; long ones without their middle. Empty: none.")
    worker: str | None = Field(None, description="Where it ran; null if unknown.")


class TaskFailures(WireModel):
    """Tasks that have failed and are still held by a client, the newest kind first; at most ten kinds."""

    id: str = Field(description="Cluster.")
    failures: list[TaskFailure]


class LargeResult(WireModel):
    """A collection, or tasks of one kind, whose results take memory."""

    name: str = Field(description="Common prefix of the keys, such as 'random_sample'.")
    group: str = Field(description="Name of the collection; of single tasks the same as `name`.")
    bytes: int = Field(description="All copies, wherever they are.")
    n_results: int = Field(description="Copies count, too.")
    type: str = Field(description="Such as 'numpy.ndarray'; empty: not known.")
    on_gpu: bool = Field(description="Whether results of this type are in GPU memory.")
    workers: list[str] = Field(description="Names of the workers, that with the most first; at most ten.")
    n_workers: int
    kernels: list[str] = Field(description="Ids of the Jupyter kernels that hold them.")
    n_clients: int = Field(description="Number of clients that hold them; 0 if only pending tasks do.")


class LargestResults(WireModel):
    """What takes the most memory of a cluster, largest first; at most ten."""

    id: str = Field(description="Cluster.")
    total_bytes: int = Field(description="All results, wherever they are.")
    results: list[LargeResult]


class Decision(WireModel):
    """A decision of adaptive scaling."""

    at: str
    status: Literal["up", "down"] = Field(description="Whether workers were requested or retired.")
    n_workers: int | None = Field(None, description="Target number, when workers were requested.")
    workers: list[str] = Field(default_factory=list, description="Names of retired workers.")


class Decisions(WireModel):
    """Decisions of adaptive scaling since it was last turned on, oldest first."""

    decisions: list[Decision]


class Activity(WireModel):
    """What has happened to a cluster, oldest first; the last 1000 entries."""

    id: str
    entries: list[ActivityEntry]


Number = TypeVar("Number", int, float)


def known_sum(values: Iterable[Number | None]) -> Number | None:
    """Return the sum of the known values; None when none is known."""
    known: list[Any] = [value for value in values if value is not None]
    return sum(known) if known else None


def known_mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the known values; None when none is known."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


_Summary: TypeAlias = Callable[[Iterable[Any]], float | None]
_SUMMARIES: dict[str, _Summary] = {
    "cpu_percent": known_mean,
    "memory_bytes": known_sum,
    "rmm_used_bytes": known_sum,
    "processing": known_sum,
    "tier_disk_bytes": known_sum,
}
_OF_DEVICES: dict[str, _Summary] = {"gpu_utilization_percent": known_mean, "vram_used_bytes": known_sum}
TOTALS = (*_SUMMARIES, *_OF_DEVICES)  # Figures of all workers together in a history.


def totals(columns: Mapping[str, Sequence[Any]]) -> dict[str, float | None]:
    """Return each of ``TOTALS`` of columns with one entry per worker; ``None`` where no worker has measured it."""
    found = {name: summary(columns.get(name, ())) for name, summary in _SUMMARIES.items()}
    return found | {name: summary(_by_device(columns, name)) for name, summary in _OF_DEVICES.items()}


def _by_device(columns: Mapping[str, Sequence[Any]], name: str) -> Iterable[float]:
    """Return a figure of each device, once for workers that share one."""
    by_device: dict[Any, float] = {}
    devices = columns.get("device", ())
    for place, value in enumerate(columns.get(name, ())):
        if value is not None:
            device = devices[place] if place < len(devices) else None
            by_device[place if device is None else device] = value
    return by_device.values()
