"""What notebook cells computed on a cluster."""

from __future__ import annotations

from datetime import datetime
from hashlib import blake2b

from pydantic import Field

from .telemetry import WireModel


class TaskCounts(WireModel):
    """How many tasks there are, by state."""

    n_tasks: int
    n_done: int
    n_waiting: int = Field(description="Wait for other tasks, for a worker or for room.")
    n_running: int = Field(description="Are at a worker.")
    n_failed: int = Field(description="Including those that depend on a failed one.")
    n_cancelled: int = Field(description="Were cancelled before there was a result.")


class CellTasks(TaskCounts):
    """The tasks of one kind that a cell asked for."""

    name: str = Field(description="Common prefix of their keys, such as 'inc'; empty: several types together.")
    compute_seconds: float = Field(description="Sum over all threads.")
    transfer_seconds: float = Field(description="Fetching what they need from other workers; sum over all tasks.")
    result_bytes: int = Field(description="Sum of all results, including those that were released.")
    shared: bool = Field(
        description="Whether another cell had such tasks at the same time: seconds and bytes are divided by number."
    )

    first_seconds: float | None = Field(None, description="When the first one began, after the cell; null if none did.")
    last_seconds: float | None = Field(None, description="When the last one ended, after the cell began.")
    error: str | None = Field(None, description="The last error of tasks of this kind, if some of the cell failed.")


class WorkerPeaks(WireModel):
    """The most that one worker had while a cell computed."""

    name: str
    memory_bytes: int | None = None
    vram_bytes: int | None = None
    spilled_bytes: int | None = None


class Where(WireModel):
    """The cluster that has computed a cell."""

    cluster_id: str
    cluster: str = Field(description="Its name.")
    kind: str
    host: str = Field(description="The machine that the cluster's process ran on.")
    versions: dict[str, str] = Field(description="By package.")


class CellWork(WireModel):
    """What one run of a cell computed, or a program between two pauses.

    Tasks belong to the cell that sent them, even while others use the cluster. Memory and traffic are those of the
    whole cluster while the cell computed.
    """

    id: str = Field(description="Of this run.")
    kernel: str | None = Field(None, description="Id of the Jupyter kernel.")
    notebook: str | None = Field(None, description="Path of the notebook, or 'IPython'; null if unknown.")
    cell: str | None = Field(None, description="Id of the cell in its notebook; null if the front end sends none.")
    number: int | None = Field(None, description="The number in brackets beside the cell.")
    code: str | None = Field(None, description="The last line of the cell that computes.")
    client: str = Field(description="Name of the Dask client.")
    by_time: bool = Field(
        description="Whether the tasks came without a cell, as from a program or a client that gpucluster did not "
        "make; what one client sends without a pause is then one piece of work."
    )
    began: str = Field(description="When the cell was run.")
    ended: str | None = Field(None, description="When its last task was done; null while it computes.")
    lost: bool = Field(False, description="Whether the cluster ended before the work did.")
    n_workers: int | None = Field(None, description="Maximum number of workers.")
    memory_peak_bytes: int | None = Field(None, description="Peak memory of all workers together.")
    vram_peak_bytes: int | None = Field(None, description="Peak GPU memory of all devices together.")
    spilled_peak_bytes: int | None = Field(None, description="Peak size of results on disk.")
    moved_bytes: int | None = Field(None, description="What workers received from each other.")
    n_threads: int | None = Field(None, description="Maximum number of worker threads.")
    waiting_seconds: float | None = Field(None, description="Of all threads, not computing for it; null if it runs.")
    n_lost_workers: int = Field(0, description="Workers that died during it.")
    cost: float | None = Field(
        None,
        description="Of the workers during it, shared with cells that computed at the same time; null while it "
        "computes, or if the site sets no costs.",
    )
    cost_unit: str | None = Field(None, description="Of ``cost``, such as 'node-hours'.")
    workers: list[WorkerPeaks] = Field(default=[], description="Those with the highest peaks of memory; at most 32.")
    where: Where | None = Field(None, description="Null if an older version stored it.")
    groups: list[CellTasks] = Field(description="By kind, those that computed longest first; at most 30.")

    @property
    def key(self) -> str:
        """A short id, for lists and commands."""
        return blake2b(self.id.encode(), digest_size=4).hexdigest()

    @property
    def name(self) -> str:
        """What people call it: ``Untitled.ipynb [3]``, or the client where there is no cell."""
        return self.client if self.by_time else f"{self.notebook_name or 'cell'} [{self.number}]"

    @property
    def notebook_name(self) -> str:
        return (self.notebook or "").rsplit("/", 1)[-1]

    @property
    def seconds(self) -> float | None:
        """From the beginning to the end; none while it computes."""
        if self.ended is None:
            return None
        whole = (datetime.fromisoformat(self.ended) - datetime.fromisoformat(self.began)).total_seconds()
        # The two times are whole milliseconds, each rounded alone.
        return max(0.0, whole, *(group.last_seconds or 0.0 for group in self.groups))

    def total(self, figure: str) -> float:
        """Return the sum of a figure of `groups`."""
        return sum((getattr(group, figure) for group in self.groups), 0.0)


class WorkSum(WireModel):
    """The sums of several runs of cells and scripts: of a day, a notebook or a cluster."""

    name: str = Field(description="The day (local time), notebook, client or cluster.")
    n_runs: int
    seconds: float = Field(description="From start to end, summed over all runs.")
    n_tasks: int
    compute_seconds: float
    cost: dict[str, float] = Field(description="By unit, of the runs that have a cost.")


class HistorySums(WireModel):
    """The history, summed by day, notebook or cluster, oldest first."""

    sums: list[WorkSum]


class History(WireModel):
    """What cells and scripts computed on all clusters, also on those that are gone, oldest first."""

    cells: list[CellWork]


class CellProgress(TaskCounts, json_schema_serialization_defaults_required=False):  # The wire has what is known.
    """How far a run of a cell is, for the line below it: the sums of a ``CellWork``, without code and names."""

    id: str = Field(description="Of this run.")
    kernel: str = Field(description="Id of the Jupyter kernel.")
    cell: str = Field(description="Id of the cell in its notebook.")
    began: str
    ended: str | None = None
    lost: bool = False
    memory_peak_bytes: int | None = None
    vram_peak_bytes: int | None = None
    spilled_peak_bytes: int | None = None
    moved_bytes: int | None = None

    @classmethod
    def of(cls, work: CellWork) -> CellProgress | None:
        """Return the progress of a run; ``None`` where it is not known in which cell of which kernel it is."""
        if work.kernel is None or work.cell is None:
            return None
        fields = {name: getattr(work, name) for name in cls.model_fields if name in CellWork.model_fields}
        counts = {name: int(work.total(name)) for name in TaskCounts.model_fields}
        return cls(**fields, **counts)


class Cells(WireModel):
    """What cells computed on a cluster, oldest first; the last 1000."""

    id: str = Field(description="Cluster.")
    cells: list[CellWork]
