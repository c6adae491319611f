"""``%%gpucluster profile``: the cell runs as every other, between the two ends of a measurement.

The first line becomes a line magic that begins the measurement, and the rest stays the cell. So IPython runs it as
it runs any cell: ``await`` works, the last expression is displayed, a traceback is the user's own with the right
line numbers. When IPython says that the cell is over, the measurement ends and the report is displayed.
"""

from __future__ import annotations

import sys
import threading
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..cli.arguments import HelpWanted
from ..profiling.files import checked_path
from ..protocol.errors import GPUClusterError

if TYPE_CHECKING:
    from distributed import Client
    from IPython.core.interactiveshell import InteractiveShell

    from ..profiling.measurement import Profile
    from ..profiling.report import ProfileReport

REPORT_NAME = "profile_report"


class NotProfiled(Exception):
    """The measurement cannot begin, so the cell must not run. Shown as a sentence, without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class CellWatch:
    """Calls back once when the cell that runs now is over.

    Parameters
    ----------
    shell : InteractiveShell
    over : callable
        Gets IPython's result of the cell.
    """

    def __init__(self, shell: InteractiveShell, over: Callable[[Any], None]) -> None:
        self._shell = shell
        self._over = over
        self._thread = threading.get_ident()
        self._depth = 0
        shell.events.register("pre_run_cell", self._begin)
        shell.events.register("post_run_cell", self._end)

    def _begin(self, info: Any) -> None:
        # Cells inside the cell: %run, %%capture. Other threads are subshells, with cells of their own.
        if threading.get_ident() == self._thread:
            self._depth += 1

    def _end(self, result: Any) -> None:
        if threading.get_ident() != self._thread:
            return
        if self._depth:
            self._depth -= 1
            return
        self.stop()
        self._over(result)

    def stop(self) -> None:
        """Watch no longer."""
        self._shell.events.unregister("pre_run_cell", self._begin)
        self._shell.events.unregister("post_run_cell", self._end)


class ProfiledCell:
    """The measurement of the cell that runs now.

    Parameters
    ----------
    shell : InteractiveShell
    found : Namespace
        What was typed after ``profile``.
    connected : distributed.Client, optional
        The client that ``connect`` made.
    """

    def __init__(self, shell: InteractiveShell, found: Namespace, connected: Client | None) -> None:
        from ..profiling.measurement import Profile

        self._shell = shell
        self._quiet = getattr(found, "quiet", False)
        self._timeline = getattr(found, "timeline", True)
        self._json = checked_path(getattr(found, "json", None), "--json", ".json")
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
        # IPython shows a callback's error as a traceback of ours, on top of the user's own.
        try:
            error = getattr(result, "error_before_exec", None) or getattr(result, "error_in_exec", None)
            self._measurement.finish(wall_seconds, error)
            self._shell.user_ns[REPORT_NAME] = self.report
            self._write_json()
            self._show()
        except KeyboardInterrupt:
            sys.stderr.write("Interrupted; there is no report.\n")
        except Exception as error:
            # The user's cell is done; what is wrong with the report must not look like its failure.
            sys.stderr.write(f"The report could not be made: {error or type(error).__name__}\n")

    def _write_json(self) -> None:
        if self._json is None:
            return
        try:
            Path(self._json).write_text(self.report.to_json() + "\n", encoding="utf-8")
        except OSError as error:
            sys.stderr.write(f"--json: {self._json} could not be written: {error.strerror or error}.\n")

    def _show(self) -> None:
        if self._quiet:
            return
        from ..profiling.rendering.display import show

        show(self.report, timeline=self._timeline, notebook=getattr(self._shell, "kernel", None) is not None)


def rewritten(lines: list[str]) -> list[str]:
    """Turn ``%%gpucluster profile …`` on the first line into a line magic, and leave the rest a cell.

    Whoever types only a question (``--help``), or something that cannot be read, gets the answer and no cell.
    """
    from ..cli.declarations import MAGIC
    from ..cli.verbs import parser_for
    from .line import split_line

    first = lines[0].strip().removeprefix("%%gpucluster").strip()
    magic = [f"%gpucluster {first}\n"]
    try:
        parser_for("profile", MAGIC).read(split_line(first)[1:])
    except (GPUClusterError, HelpWanted):
        return magic
    body = lines[1:]
    place = next((number for number, line in enumerate(body) if line.strip()), None)
    if place is not None and body[place].startswith("%%"):
        name, _, rest = body[place].strip().removeprefix("%%").partition(" ")
        code = "".join(body[place + 1 :])
        return [*magic, f"get_ipython().run_cell_magic({name!r}, {rest!r}, {code!r})\n"]
    return magic + body
