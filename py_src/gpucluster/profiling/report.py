"""``ProfileReport``: what ``gpucluster.profile`` and ``%%gpucluster profile`` give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from .model import Finding, PrefixFigures, TimelineData, TransferFigures, WorkerFigures
from .units import counted, seconds

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM


class ProfileReport(BaseModel):
    """What a piece of code did on a cluster.

    It is filled when the ``with`` block ends; until then ``complete`` is false and there are no figures.
    """

    model_config = ConfigDict(extra="forbid")

    complete: bool = Field(False, description="Whether the block has ended.")
    cluster: str | None = Field(None, description="Name of the cluster, or address of its scheduler.")
    started_at: str | None = None
    failed: str | None = Field(None, description="The exception that ended the block.")
    wall_seconds: float = 0.0
    active_seconds: float | None = Field(None, description="Time in which at least one task ran.")
    submitted_seconds: float | None = Field(
        None, description="Time in which at least one task was submitted and not over; in the rest nobody gave any."
    )

    n_workers: int = 0
    n_threads: int = 0
    n_tasks: int | None = None
    n_failed_tasks: int | None = None
    n_unfinished_tasks: int | None = Field(None, description="Tasks that were not over when the block was.")
    compute_seconds: float | None = Field(None, description="Sum over all threads.")
    transfer_seconds: float | None = None
    disk_seconds: float | None = None
    idle_share: float | None = Field(
        None, description="Of the threads' time in which tasks were submitted and not over; 0 to 1."
    )
    cores_busy_share: float | None = Field(
        None, description="How busy the cores of the workers' machines were, by anybody; of the least busy machine."
    )
    scheduler_cpu_percent: float | None = Field(None, description="Mean of the scheduler's process; 100 is one core.")

    mean_cpu_percent: float | None = Field(None, description="Mean of the workers; 100 is one core.")
    mean_gpu_utilization_percent: float | None = Field(None, description="Mean of the workers' GPUs.")
    spilled_bytes: int | None = None
    n_readings: int = Field(0, description="Fewest readings of memory and utilization of any worker.")
    n_telemetry_samples: int = Field(0, description="Samples of the cluster's own telemetry.")
    n_workers_joined: int = 0
    n_workers_lost: int = Field(0, description="Workers that ended though nobody had asked them to.")
    n_restarts: int = 0

    transfers: TransferFigures = TransferFigures()
    prefixes: list[PrefixFigures] = Field(default_factory=list, description="The longest computing first.")
    workers: list[WorkerFigures] = Field(default_factory=list)
    failures: dict[str, str] = Field(default_factory=dict, description="The first failure by prefix; five at most.")
    findings: list[Finding] = Field(default_factory=list, description="What the bottleneck looks like.")
    notes: list[str] = Field(default_factory=list, description="What could not be measured, and why.")
    files: list[str] = Field(default_factory=list, description="What was written beside the report, in sentences.")
    timeline_data: TimelineData = TimelineData()

    @property
    def mean_task_seconds(self) -> float | None:
        """Mean time that a task computed."""
        if not self.n_tasks or self.compute_seconds is None:
            return None
        return self.compute_seconds / self.n_tasks

    @property
    def notebook_seconds(self) -> float | None:
        """Time in which no task was submitted: the notebook's own code ran."""
        return None if self.submitted_seconds is None else max(0.0, self.wall_seconds - self.submitted_seconds)

    def text(self) -> str:
        """Return the report for a terminal."""
        from .rendering.text import report_text

        return report_text(self)

    def timeline(self) -> LayoutDOM:
        """Return the timeline as a Bokeh figure: tasks by thread, transfers, memory and utilization."""
        from .rendering.bokeh_figure import timeline_figure

        return timeline_figure(self)

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return all figures as JSON."""
        return self.model_dump_json(indent=indent)

    def __repr__(self) -> str:
        if not self.complete:
            return "<ProfileReport: the block has not ended>"
        tasks = "tasks not measured" if self.n_tasks is None else counted(self.n_tasks, "task")
        return f"<ProfileReport: {seconds(self.wall_seconds)}, {tasks}, {counted(len(self.findings), 'finding')}>"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        from .rendering.html import report_html

        return report_html(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": self.text(), "text/html": self._repr_html_()}
