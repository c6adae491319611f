"""Cells with ``%%gpucluster`` that otherwise run like any other cell: leased, profiled, or with a notice when done.

The first line becomes a line magic, and the rest stays a cell. So ``await`` works, the last expression is displayed,
and tracebacks have the right line numbers.
"""

from __future__ import annotations

import ast
import signal
import sys
import threading
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..cli.arguments import HelpWanted
from ..client.control import Control
from ..client.display.card import LiveText
from ..client.lease import Lease, leased_line
from ..client.libraries import libraries_for, use_libraries
from ..client.notifying import LONGEST_TITLE
from ..profiling.files import checked_path
from ..protocol.durations import spoken
from ..protocol.errors import GPUClusterError
from ..protocol.models import ClusterModel
from ..protocol.plain_text import printable
from ..protocol.spec import SpecBase

if TYPE_CHECKING:
    from distributed import Client
    from IPython.core.interactiveshell import ExecutionResult, InteractiveShell

    from ..profiling.measurement import Profile, ProfileReport


class CellNotRun(Exception):
    """The cell must not run, as its lease or profile cannot start. Shown without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class CellWatch:
    """Calls back once when the current cell is over.

    `over`: receives IPython's result of the cell; ``None`` after a silent cell, which has none. `at_once`: call it
    without the result, but immediately after a silent cell, too, instead of when the next one starts.
    """

    def __init__(self, shell: InteractiveShell, over: Callable[[Any], None], *, at_once: bool = False) -> None:
        self._events: Any = shell.events
        self._over = over
        self._at_once = at_once
        self._thread = threading.get_ident()
        self._depth = 0
        self._ending = False
        # The first two events also come with silent cells and messages of widgets; the last one has the result.
        self._callbacks: dict[str, Callable[..., Any]] = {
            "pre_execute": self._begin,
            "post_execute": self._end,
            "post_run_cell": self._call_back,
        }
        for event, callback in self._callbacks.items():
            self._events.register(event, callback)

    def _begin(self) -> None:
        # Cells inside the cell: %run, %%capture. Other threads are subshells with their own cells.
        if threading.get_ident() != self._thread:
            return
        if self._ending:
            self._call_back(None)
        else:
            self._depth += 1

    def _end(self) -> None:
        if threading.get_ident() == self._thread:
            self._ending = not self._depth
            self._depth = max(0, self._depth - 1)
            if self._at_once:
                self._call_back(None)

    def _call_back(self, result: Any) -> None:
        if threading.get_ident() == self._thread and self._ending:
            self.stop()
            self._over(result)

    def stop(self) -> None:
        self._ending = False
        for event, callback in self._callbacks.items():
            self._events.unregister(event, callback)


def rewritten(lines: list[str], transformed: Callable[[str], str]) -> list[str]:
    """Turn ``%%gpucluster profile …`` on the first line into a line magic, and leave the rest a cell.

    After ``--help`` or an invalid line, only the magic runs. `lines`: of the cell, with line ends. `transformed`: the
    shell's transformation of a cell to Python. Raises `SyntaxError`, which IPython shows: the cell cannot run.
    """
    from ..cli.commands import MAGIC
    from ..cli.verbs import parser_for
    from .line import may_expand, split_line

    first = lines[0].strip().removeprefix("%%gpucluster").strip()
    magic = [f"%gpucluster {first}\n"]
    try:
        verb, *words = split_line(first)
        parser_for(verb, MAGIC).read(words)
    except HelpWanted:
        return magic
    except GPUClusterError:
        if not may_expand(first):  # Otherwise it may become valid when the magic expands it.
            return magic
    body = lines[1:]
    place = next((number for number, line in enumerate(body) if line.strip()), None)
    if place is not None and body[place].startswith("%%"):
        name, _, rest = body[place].strip().removeprefix("%%").partition(" ")
        code = "".join(body[place + 1 :])
        return [*magic, f"get_ipython().run_cell_magic({name!r}, {rest!r}, {code!r})\n"]
    _check_compiles(transformed("".join(["\n", *body])))
    return magic + body


def _check_compiles(code: str) -> None:
    """Refuse code, such as a ``return``, that IPython would refuse only after the lease has started.

    Other syntax errors IPython reports before anything runs.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return
    compile(tree, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


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


_ABSENT = object()
_MADE_OF = ("array.backend", "dataframe.backend")


class LeasedCell:
    """The lease of the current cell.

    ``client`` and ``cluster`` are those of the lease until the cell is over; then those of the notebook and the
    libraries of Dask's collections are restored.

    `timeout`: startup timeout in seconds. `notebook`: whether outputs can be updated. Raises `CellNotRun` (interrupted
    before it started) or `GPUClusterError`.
    """

    def __init__(
        self, shell: InteractiveShell, control: Control, spec: SpecBase, timeout: float, *, notebook: bool
    ) -> None:
        self._names: dict[str, Any] = shell.user_ns
        self._lease = Lease(spec, scope="cell", timeout=timeout, control=control.asynchronous)
        try:
            with LiveText(notebook=notebook) as live, _interrupts_raised():
                client = self._lease.begin(live)
        except KeyboardInterrupt:
            raise CellNotRun("Interrupted: nothing was leased, and the place in the queue was released.") from None
        self._set = {"client": client, "cluster": self._lease.cluster}
        self._before = {name: self._names.get(name, _ABSENT) for name in self._set}
        import dask

        self._made_of = {name: dask.config.get(name, None) for name in _MADE_OF}
        self._names.update(self._set)
        CellWatch(shell, self._end, at_once=True)
        model = self._lease.cluster.model
        libraries = libraries_for(has_gpus=model.has_gpus)
        use_libraries(libraries)
        sys.stdout.write(leased_line(model) + "\n")
        if libraries.warning:
            sys.stderr.write(libraries.warning + "\n")

    def _end(self, _: Any) -> None:
        import dask

        # IPython would show a callback's error as a traceback above the user's own.
        try:
            self._lease.end()
        except KeyboardInterrupt:
            sys.stderr.write("Interrupted: the workers of this cell stop automatically.\n")
        except GPUClusterError as error:
            sys.stderr.write(f"The workers of this cell could not be released immediately. {error.message}\n")
        finally:
            dask.config.set(self._made_of)
            self._give_names_back()

    def _give_names_back(self) -> None:
        for name, value in self._set.items():
            if self._names.get(name) is not value:
                continue  # The cell has reassigned it.
            if self._before[name] is _ABSENT:
                del self._names[name]
            else:
                self._names[name] = self._before[name]


@contextmanager
def _interrupts_raised() -> Iterator[None]:
    """Raise interrupts at once: in a cell with ``await``, ipykernel defers them until its loop continues."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class NotifiedCell:
    def __init__(
        self, shell: InteractiveShell, control: Control, model: ClusterModel, title: str | None,
        complain: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._events: Any = shell.events
        self._control = control
        self._id = model.id
        self._title = printable(title or f"Cell [{shell.execution_count}]", LONGEST_TITLE)
        self._complain = complain
        self._began = time.monotonic()
        self._events.register("post_run_cell", self._ended)

    def _ended(self, result: ExecutionResult) -> None:
        self._events.unregister("post_run_cell", self._ended)
        took = spoken(time.monotonic() - self._began)
        error = result.error_before_exec or result.error_in_exec
        how = "is done" if error is None else "was interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        why = "" if error is None or how == "was interrupted" else f": {type(error).__name__}"
        try:
            message = printable(f"{self._title} {how} after {took}{why}.", 140)
            self._control.tell(self._id, message, "done" if error is None else "not_done")
        except GPUClusterError as refused:
            self._complain(f"The notification that the cell {how} could not be sent: {refused.message}")
