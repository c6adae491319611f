"""``gpucluster.profile``: measure what a block of code does on a cluster, and its result, ``ProfileReport``."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..client.control import AsyncControl, Control
from ..client.handle import ClusterHandle
from ..protocol.errors import GPUClusterError
from ..registry.directory import write_private
from ..registry.record import Folder, now
from .assembly import TelemetryListener, assemble
from .bottlenecks import find_bottlenecks
from .files import DaskReport, checked_path
from .model import ReportFigures
from .nsight import NsightCapture
from .perfetto import events_of_profile, write_trace
from .recorders.imports import ImportTimes
from .recording import Recording, Target, current_client, find_target
from .rendering.text import report_html, report_line, report_text
from .rendering.timeline import timeline_figure

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM
    from distributed import Client


class ProfileReport(ReportFigures):
    """What a block of code did on a cluster. It has no figures until the block ends and ``complete`` is true."""

    def text(self) -> str:
        return report_text(self)

    def timeline(self) -> LayoutDOM:
        """Return the timeline as a Bokeh figure: tasks by thread, transfers, memory and utilization."""
        return timeline_figure(self)

    def to_json(self, *, indent: int | None = 2) -> str:
        return self.model_dump_json(indent=indent)

    def write_perfetto(self, path: str | Path) -> Path:
        """Write the timeline as Chrome trace events, which ui.perfetto.dev opens. Raises `InvalidRequest`."""
        return write_trace(path, events_of_profile(self))

    def __repr__(self) -> str:
        return report_line(self)

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return report_html(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": self.text(), "text/html": self._repr_html_()}


_ELSEWHERE = (
    "Dask's current client is connected to another cluster ({other}); what it ran there is not in this report. "
    "'%gpucluster connect {name}' connects to this one."
)


class Profile:
    """Measures a block. Made by ``gpucluster.profile``; use it in ``with`` or ``async with``."""

    def __init__(
        self, cluster: ClusterHandle | Client | str | None = None, *, performance_report: str | Path | None = None,
        nsight: str | Path | None = None, connected: Client | None = None,
    ) -> None:  # fmt: skip
        self._cluster = cluster
        self._connected = connected
        self._dask_file = checked_path(performance_report, "performance_report", ".html")
        self._nsight_file = checked_path(nsight, "nsight", ".nsys-rep")
        self._report = ProfileReport()
        self._recording: Recording | None = None
        self._telemetry: TelemetryListener | None = None
        self._dask: DaskReport | None = None
        self._nsight: NsightCapture | None = None
        self._imports: ImportTimes | None = None
        self._folder: Folder | None = None
        self._started = 0.0

    def __enter__(self) -> ProfileReport:
        target = find_target(self._cluster, self._connected)
        self._report = ProfileReport(cluster=target.label, started_at=now())
        other = current_client()
        if other is not None and other.scheduler is not None and other.scheduler.address != target.address:
            self._report.notes.append(_ELSEWHERE.format(other=other.scheduler.address, name=target.label))
        self._recording = Recording(target)
        try:
            self._start_others(target, self._recording)
        except BaseException:
            self._stop_everything()
            raise
        self._imports = ImportTimes()
        self._started = time.perf_counter()
        return self._report

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self.finish(time.perf_counter() - self._started, error)

    async def __aenter__(self) -> ProfileReport:
        return await asyncio.to_thread(self.__enter__)

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        await asyncio.to_thread(self.finish, time.perf_counter() - self._started, error)

    def finish(self, wall_seconds: float, error: BaseException | None = None) -> ProfileReport:
        """End the measurement and fill the report; `error`: the exception that ended the block."""
        report, recording = self._report, self._recording
        if recording is None or report.complete:
            return report
        report.wall_seconds = wall_seconds
        if self._imports is not None:
            self._imports.stop()
            report.notebook_import_seconds = self._imports.seconds()
        report.failed = None if error is None else type(error).__name__
        try:
            for capture in (self._nsight, self._dask):
                if capture is not None:
                    report.files.append(capture.stop())
            self._nsight = self._dask = None
            readings = self._telemetry.stop() if self._telemetry is not None else None
            assemble(report, *recording.finish(), readings)
            report.findings = find_bottlenecks(report)
            self._keep(report)
        finally:
            self._stop_everything()
            report.complete = True
        return report

    def _keep(self, report: ProfileReport) -> None:
        """Store the figures in the cluster's folder, for assistants."""
        if self._folder is not None:
            with suppress(OSError, GPUClusterError):
                write_private(self._folder.profile, report.model_dump_json(exclude={"timeline_data", "files"}))
                Control().tell(self._folder.id, f"Profiled for {report.wall_seconds:.1f} s", "profile")

    def _start_others(self, target: Target, recording: Recording) -> None:
        if target.id is not None:
            with suppress(GPUClusterError, OSError):
                self._folder = AsyncControl().registry.folder(target.id)
                self._telemetry = TelemetryListener(self._folder)
        if self._dask_file is not None:
            self._dask = DaskReport(recording.client, self._dask_file)
        if self._nsight_file is not None:
            self._nsight = NsightCapture(self._nsight_file, recording.worker_processes())

    def _stop_everything(self) -> None:
        captures: tuple[Any, ...] = (self._imports, self._nsight, self._dask, self._telemetry)
        for capture in captures:
            if capture is not None:
                with suppress(Exception):  # The first error is reported.
                    capture.stop()
        self._imports = self._nsight = self._dask = self._telemetry = None
        if self._recording is not None:
            self._recording.close()
            self._recording = None


def profile(
    cluster: ClusterHandle | Client | str | None = None,
    *,
    performance_report: str | Path | None = None,
    nsight: str | Path | None = None,
) -> Profile:
    """Measure what a block of code does on a cluster.

    Parameters
    ----------
    cluster : Cluster, distributed.Client or str, optional
        What to measure; by default the cluster of Dask's current client.
    performance_report : path, optional
        Also write Dask's own performance report to this file.
    nsight : path, optional
        Also write an Nsight Systems capture to this file, if ``nsys`` can.

    Returns
    -------
    context manager
        Returns a ``ProfileReport``, which is filled when the block ends, even if it fails.

    Raises
    ------
    ClusterNotFound, InvalidState
        When there is no cluster to measure. The block does not run.
    InvalidRequest
        When a file cannot be written there.

    Examples
    --------
    >>> with gpucluster.profile() as report:  # doctest: +SKIP
    ...     x.compute()
    >>> report.findings  # doctest: +SKIP
    """
    return Profile(cluster, performance_report=performance_report, nsight=nsight)
