"""The figures of a profile. A figure that could not be measured is ``None``, and a note explains why."""

from __future__ import annotations

from pydantic import BaseModel, Field

from ..protocol.workers import worker_title


class ProfileModel(BaseModel, frozen=True, extra="forbid"):
    """Base of the parts of a report."""


class PrefixFigures(ProfileModel):
    """The tasks of one kind. The prefix is the common start of their keys, such as 'inc'."""

    prefix: str
    n_tasks: int
    n_failed: int = 0
    compute_seconds: float = 0.0
    transfer_seconds: float = Field(0.0, description="Spent on fetching what the tasks needed from other workers.")
    disk_seconds: float = Field(0.0, description="Spent on reading spilled results back, and on writing.")
    longest_seconds: float = 0.0
    result_bytes: int = 0
    largest_result_bytes: int = 0

    @property
    def total_seconds(self) -> float:
        """Seconds of all three."""
        return self.compute_seconds + self.transfer_seconds + self.disk_seconds

    @property
    def mean_seconds(self) -> float:
        """Mean time that one task computed."""
        return self.compute_seconds / self.n_tasks if self.n_tasks else 0.0


class WorkerFigures(ProfileModel):
    """One worker."""

    name: str
    device_index: int | None = Field(None, description="Number of its GPU on its machine.")
    n_threads: int
    n_tasks: int = 0
    busy_seconds: float = Field(0.0, description="Sum over its threads.")
    idle_share: float | None = Field(None, description="Of its threads' time in which there were tasks; 0 to 1.")
    mean_cpu_percent: float | None = Field(None, description="100 is one core.")
    mean_gpu_utilization_percent: float | None = None
    mean_gpu_power_watts: float | None = None
    gpu_power_limit_watts: float | None = None
    peak_memory_bytes: int | None = None
    memory_limit_bytes: int | None = None
    peak_vram_bytes: int | None = Field(None, description="Of the whole device, by any program.")
    vram_total_bytes: int | None = None
    peak_rmm_bytes: int | None = Field(None, description="Allocated through RMM.")
    peak_rmm_pool_bytes: int | None = None
    sent_bytes: int | None = Field(None, description="To other workers.")
    received_bytes: int | None = Field(None, description="From other workers; without peer-to-peer shuffles.")
    spilled_bytes: int | None = Field(None, description="Written to disk to make room; with a GPU, see the notes.")
    n_readings: int = Field(0, description="Readings of memory and utilization during the cell.")
    import_seconds: float | None = Field(None, description="In which it imported modules, in tasks or between them.")
    joined_later: bool = False
    lost: bool = Field(False, description="Ended unexpectedly.")

    @property
    def title(self) -> str:
        """Readable name, such as ``GPU 3``."""
        return worker_title(self.name, self.device_index)


class TransferFigures(ProfileModel):
    """Bytes that moved: sizes of results in memory as Dask estimates them; for clients, bytes on the wire."""

    between_workers_bytes: int | None = None
    shuffled_bytes: int | None = Field(None, description="Part of it that peer-to-peer shuffles sent.")
    n_between_workers: int | None = Field(None, description="Number of transfers; without peer-to-peer shuffles.")
    to_clients_bytes: int | None = Field(None, description="Results brought to the notebook.")
    from_clients_bytes: int | None = Field(None, description="Task graphs and scattered data.")


class Finding(ProfileModel):
    """Finding of a rule: a bottleneck with evidence and advice."""

    rule: str = Field(description="Stable name of the rule.")
    title: str
    evidence: str
    advice: str


class TimelineBlock(ProfileModel):
    """A block of a thread: one task, or several short ones drawn as one."""

    lane: int
    prefix: str
    start_seconds: float = Field(description="After the beginning of the cell.")
    stop_seconds: float
    n_tasks: int = 1
    busy_seconds: float


class TimelineTransfer(ProfileModel):
    """Bytes that a worker fetched, or sent to a client."""

    start_seconds: float
    stop_seconds: float
    n_bytes: int
    source: str
    target: str


class TimelineLine(ProfileModel):
    """A figure over time."""

    name: str
    unit: str = Field(description="'bytes' or 'percent'.")
    seconds: list[float]
    values: list[float | None]


class TimelineData(ProfileModel):
    """Data of the timeline."""

    lanes: list[str] = Field(default_factory=list, description="Labels of the threads drawn.")
    blocks: list[TimelineBlock] = Field(default_factory=list)
    transfers: list[TimelineTransfer] = Field(default_factory=list)
    lines: list[TimelineLine] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list, description="What was left out or drawn together.")


class ReportFigures(BaseModel, extra="forbid"):
    """All figures of a report, for the rules and the display."""

    complete: bool = Field(False, description="Whether the block has ended.")
    cluster: str | None = Field(None, description="Name of the cluster, or address of its scheduler.")
    started_at: str | None = None
    failed: str | None = Field(None, description="The exception that ended the block.")
    wall_seconds: float = 0.0
    active_seconds: float | None = Field(None, description="Time in which at least one task ran.")
    submitted_seconds: float | None = Field(
        None, description="Time with at least one submitted task that was not finished."
    )

    n_workers: int = 0
    n_threads: int = 0
    n_tasks: int | None = None
    n_failed_tasks: int | None = None
    n_unfinished_tasks: int | None = Field(None, description="Tasks that were unfinished when the block ended.")
    compute_seconds: float | None = Field(None, description="Sum over all threads.")
    transfer_seconds: float | None = None
    disk_seconds: float | None = None
    idle_share: float | None = Field(
        None,
        description="Of the threads' time in which tasks were submitted and not over: they did not compute, nor "
        "did their worker import what the next task needs; 0 to 1.",
    )
    notebook_import_seconds: float | None = Field(None, description="Time in which the block itself imported modules.")
    scheduler_import_seconds: float | None = Field(None, description="In which the scheduler imported modules.")
    cores_busy_share: float | None = Field(
        None,
        description="How busy the cores of the workers' machines were, with any program; of the least busy machine.",
    )
    others_cores: float | None = Field(
        None, description="Cores of the workers' one machine that programs other than cluster and notebook kept busy."
    )
    machine_cores: int | None = Field(None, description="Cores of that machine.")
    scheduler_cpu_percent: float | None = Field(None, description="Mean of the scheduler's process; 100 is one core.")

    mean_cpu_percent: float | None = Field(None, description="Mean of the workers; 100 is one core.")
    mean_gpu_utilization_percent: float | None = Field(None, description="Mean of the workers' GPUs.")
    spilled_bytes: int | None = None
    n_readings: int = Field(0, description="Fewest readings of memory and utilization of any worker.")
    n_telemetry_samples: int = Field(0, description="Samples of the cluster's own telemetry.")
    n_workers_joined: int = 0
    n_workers_lost: int = Field(0, description="Workers that ended unexpectedly.")
    n_restarts: int = 0

    transfers: TransferFigures = TransferFigures()
    prefixes: list[PrefixFigures] = Field(default_factory=list, description="The longest computing first.")
    workers: list[WorkerFigures] = Field(default_factory=list)
    failures: dict[str, str] = Field(default_factory=dict, description="The first failure by prefix; five at most.")
    findings: list[Finding] = Field(default_factory=list, description="What the bottleneck looks like.")
    notes: list[str] = Field(default_factory=list, description="What could not be measured, and why.")
    files: list[str] = Field(default_factory=list, description="What was written beside the report, as text.")
    timeline_data: TimelineData = TimelineData()

    @property
    def mean_task_seconds(self) -> float | None:
        if not self.n_tasks or self.compute_seconds is None:
            return None
        return self.compute_seconds / self.n_tasks

    @property
    def worker_import_seconds(self) -> float:
        """Longest import time of any worker."""
        return max((worker.import_seconds or 0.0 for worker in self.workers), default=0.0)

    @property
    def notebook_seconds(self) -> float | None:
        """Time in which no task was submitted: the notebook's own code ran."""
        return None if self.submitted_seconds is None else max(0.0, self.wall_seconds - self.submitted_seconds)


def share(value: float) -> str:
    """Return a share of 1: ``71 %``."""
    return f"{value * 100:.0f} %"
