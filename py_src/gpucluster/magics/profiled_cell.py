"""``%%gpucluster profile``: measure a cell, and display the report when it is over."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from ..profiling.files import checked_path
from ..protocol.errors import GPUClusterError
from .whole_cell import CellWatch

if TYPE_CHECKING:
    from distributed import Client
    from IPython.core.interactiveshell import InteractiveShell

    from ..profiling.measurement import Profile
    from ..profiling.report import ProfileReport

REPORT_NAME = "profile_report"


class ProfiledCell:
    def __init__(self, shell: InteractiveShell, found: Namespace, connected: Client | None) -> None:
        from ..profiling.measurement import Profile

        self._shell = shell
        self._quiet = getattr(found, "quiet", False)
        self._timeline = getattr(found, "timeline", True)
        self._json = checked_path(getattr(found, "json", None), "--json", ".json")
        self._perfetto = checked_path(getattr(found, "perfetto", None), "--perfetto", ".json")
        self._measurement: Profile = Profile(
            getattr(found, "name", None),
            performance_report=checked_path(
                getattr(found, "performance_report", None), "--performance-report", ".html"
            ),
            nsight=checked_path(getattr(found, "nsight", None), "--nsight", ".nsys-rep"),
            connected=connected,
        )
        self.report: ProfileReport = self._measurement.__enter__()
        self._watch = CellWatch(shell, self._end)
        self._started = time.perf_counter()

    def _end(self, result: Any) -> None:
        wall_seconds = time.perf_counter() - self._started
        # IPython would show a callback's error as a traceback above the user's own.
        try:
            error = getattr(result, "error_before_exec", None) or getattr(result, "error_in_exec", None)
            self._measurement.finish(wall_seconds, error)
            self._shell.user_ns[REPORT_NAME] = self.report
            self._write_files()
            if not self._quiet:
                from ..profiling.rendering.display import show

                show(self.report, timeline=self._timeline, notebook=getattr(self._shell, "kernel", None) is not None)
        except KeyboardInterrupt:
            sys.stderr.write("Interrupted; there is no report.\n")
        except Exception as error:
            # The user's cell is done; a fault of the report must not look like its failure.
            sys.stderr.write(f"The report could not be created: {error or type(error).__name__}\n")

    def _write_files(self) -> None:
        try:
            if self._json is not None:
                self._json.write_text(self.report.to_json() + "\n", encoding="utf-8")
        except OSError as error:
            sys.stderr.write(f"--json: {self._json} could not be written: {error.strerror or error}.\n")
        try:
            if self._perfetto is not None:
                self.report.write_perfetto(self._perfetto)
        except GPUClusterError as error:
            sys.stderr.write(f"{error.message}\n")
