"""What the cells of notebooks have had computed on a cluster."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from .telemetry import TelemetryModel


class CellTasks(TelemetryModel):
    """The tasks of one kind that a cell asked for."""

    name: str = Field(description="What their keys have in common, such as 'inc'; empty: many kinds together.")
    n_tasks: int
    n_done: int
    n_waiting: int = Field(description="Wait for other tasks, for a worker or for room.")
    n_running: int = Field(description="Are at a worker.")
    n_failed: int = Field(description="With those that need a failed one.")
    n_cancelled: int = Field(description="Were cancelled before there was a result.")
    compute_seconds: float = Field(description="Sum over all threads.")
    transfer_seconds: float = Field(description="Fetching what they need from other workers; sum over all tasks.")
    result_bytes: int = Field(description="Sum of all results, also of those that were released.")
    shared: bool = Field(
        description="Whether another cell had tasks of the same function or collection at the same time: seconds and "
        "bytes are then divided by the numbers of tasks."
    )


class CellWork(TelemetryModel):
    """What one run of a cell has had computed, or a program between two pauses.

    Tasks belong to the cell that sent them, also while others use the cluster. Memory and traffic are those of the
    whole cluster while the cell computed.
    """

    id: str = Field(description="Of this run.")
    kernel: str | None = Field(None, description="Id of the Jupyter kernel.")
    notebook: str | None = Field(None, description="Path of the notebook, or 'IPython'; null: not known.")
    cell: str | None = Field(None, description="Id of the cell in its notebook; null: the front end does not send it.")
    number: int | None = Field(None, description="The number in brackets beside the cell.")
    code: str | None = Field(None, description="The last line of the cell that computes.")
    client: str = Field(description="Name of the Dask client.")
    by_time: bool = Field(
        description="Whether the tasks came without a cell, as from a program or a client that gpucluster did not "
        "make; what one client sends without a pause is then one piece of work."
    )
    began: str = Field(description="When the cell was run.")
    ended: str | None = Field(None, description="When its last task was done; null: it computes.")
    lost: bool = Field(False, description="Whether the cluster ended before the work did.")
    n_workers: int | None = Field(None, description="The most workers that there were.")
    memory_peak_bytes: int | None = Field(None, description="Most memory of all workers together.")
    vram_peak_bytes: int | None = Field(None, description="Most GPU memory of all devices together.")
    spilled_peak_bytes: int | None = Field(None, description="Most results on disk at a time.")
    moved_bytes: int | None = Field(None, description="What workers received from each other.")
    groups: list[CellTasks] = Field(description="By kind, those that computed longest first; at most 30.")

    def total(self, figure: str) -> float:
        """Return the sum of a figure of `groups`."""
        return sum((getattr(group, figure) for group in self.groups), 0.0)


class CellProgress(TelemetryModel):
    """How far a run of a cell is, for the line below it: the sums of a ``CellWork``, without code and names."""

    # What is not known is left out on the wire.
    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=False)

    id: str = Field(description="Of this run.")
    kernel: str = Field(description="Id of the Jupyter kernel.")
    cell: str = Field(description="Id of the cell in its notebook.")
    began: str
    ended: str | None = None
    lost: bool = False
    n_tasks: int
    n_done: int
    n_waiting: int
    n_running: int
    n_failed: int
    n_cancelled: int
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
        counts = {name: int(work.total(name)) for name in cls.model_fields if name.startswith("n_")}
        return cls(**fields, **counts)


class Cells(TelemetryModel):
    """What cells have had computed on a cluster, oldest first; the last 1000."""

    id: str = Field(description="Cluster.")
    cells: list[CellWork]
