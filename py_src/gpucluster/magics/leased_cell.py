"""``%%gpucluster lease``: run a cell with its own workers and client."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import dask

from ..client.control import Control
from ..client.display.card import LiveText
from ..client.lease import Lease, leased_line
from ..client.libraries import libraries_for, use_libraries
from ..protocol.errors import GPUClusterError
from ..protocol.spec import SpecBase
from .whole_cell import CellNotRun, CellWatch

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

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
