"""A notice when a cell is done."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..client.control import Control
from ..client.notifying import LONGEST_TITLE
from ..protocol.durations import spoken
from ..protocol.errors import GPUClusterError
from ..protocol.models import ClusterModel
from ..protocol.plain_text import printable

if TYPE_CHECKING:
    from IPython.core.interactiveshell import ExecutionResult, InteractiveShell


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
            self._complain(f"That the cell {how} could not be reported: {refused.message}")
