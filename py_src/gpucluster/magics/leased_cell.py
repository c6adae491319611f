"""``%%gpucluster lease``: the cell runs as every other, with a client of workers that it has to itself."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import dask

from ..client.control import Control
from ..client.lease import Lease, leased_line
from ..client.libraries import libraries_for, use_libraries
from ..protocol.errors import GPUClusterError
from ..protocol.spec import SpecBase
from .live import LiveLine
from .whole_cell import CellNotRun, CellWatch

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_ABSENT = object()
_MADE_OF = ("array.backend", "dataframe.backend")


class LeasedCell:
    """The lease of the cell that runs now.

    ``client`` and ``cluster`` are those of the lease until the cell is over; then those of the notebook come back, and
    so does what Dask makes its collections of.

    `timeout`: seconds that the start may take. `notebook`: whether outputs can be updated. Raises `CellNotRun`
    (somebody has interrupted it before it was there) or `GPUClusterError`.
    """

    def __init__(
        self, shell: InteractiveShell, control: Control, spec: SpecBase, timeout: float, *, notebook: bool
    ) -> None:
        self._names: dict[str, Any] = shell.user_ns
        self._lease = Lease(spec, scope="cell", timeout=timeout, control=control.asynchronous)
        try:
            with LiveLine(notebook=notebook) as live, _interrupts_raised():
                client = self._lease.begin(live)
        except KeyboardInterrupt:
            raise CellNotRun("Interrupted: nothing was leased, and the place in the queue was given up.") from None
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
        # IPython shows a callback's error as a traceback of ours, on top of the user's own.
        try:
            self._lease.end()
        except KeyboardInterrupt:
            sys.stderr.write("Interrupted: the workers of this cell stop automatically.\n")
        except GPUClusterError as error:
            sys.stderr.write(f"The workers of this cell could not be given back at once. {error.message}\n")
        finally:
            dask.config.set(self._made_of)
            self._give_names_back()

    def _give_names_back(self) -> None:
        for name, value in self._set.items():
            if self._names.get(name) is not value:
                continue  # The cell has made something else of it.
            if self._before[name] is _ABSENT:
                del self._names[name]
            else:
                self._names[name] = self._before[name]


@contextmanager
def _interrupts_raised() -> Iterator[None]:
    """Let an interrupt come through: of a cell with ``await``, ipykernel keeps it for when its loop goes on."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
