"""Which cell of a notebook is being run: what its tasks are counted under. Imports nothing that is not imported yet."""

from __future__ import annotations

import asyncio
import os
import sys
import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from ..control import this_kernel
from ..display.presentation import loaded_shell

_LONGEST_CODE = 200
_NO_WORK = ("#", "%", "import ", "from ")
"""How lines begin that do not say what a cell computes."""


@dataclass(frozen=True)
class Cell:
    """A run of a cell. `id`: of the run; unique. `cell`: of the cell in its notebook, where the front end tells it."""

    id: str
    number: int
    began: float
    code: str
    kernel: str | None = None
    cell: str | None = None
    notebook: str | None = None

    @property
    def name(self) -> str:
        """What people call it, such as ``Untitled.ipynb [3]``."""
        return f"{os.path.basename(self.notebook or '') or 'cell'} [{self.number}]"

    @property
    def facts(self) -> dict[str, Any]:
        """Everything that is known, for the scheduler."""
        return {name: value for name, value in vars(self).items() if value is not None}


_latest: tuple[Any, Cell] | None = None
_started = 0.0  # When the cell that runs now has started: it may have waited for others. 0: before this was watched.
_watched: weakref.WeakSet[Any] = weakref.WeakSet()
_last_error = 0  # Id of the error that IPython had stored when the last cell ended.


def current_cell() -> Cell | None:
    """Return the cell that IPython runs, or has run last; ``None``: no IPython, or a widget's computation."""
    global _latest
    shell = loaded_shell()
    if shell is None:
        return None
    if shell not in _watched:
        _watched.add(shell)
        shell.events.register("pre_run_cell", _start)
        shell.events.register("post_run_cell", _end)
    number = len(shell.history_manager.input_hist_raw) - 1
    kernel = getattr(shell, "kernel", None)
    if kernel is None:
        key: object = (id(shell), number)
        if _latest is None or _latest[0] != key:
            code = shell.history_manager.input_hist_raw[-1]
            _latest = (key, Cell(uuid4().hex, number, time.time(), line_of_work(code), notebook="IPython"))
        return _latest[1]
    request = kernel.get_parent("shell") or {}
    header = request.get("header") or {}
    if header.get("msg_type") != "execute_request":
        return None
    key = header["msg_id"]
    if _latest is None or _latest[0] != key:
        _latest = (key, _requested(request, number))
    return _latest[1]


def _start(_info: Any) -> None:
    global _started
    _started = time.time()


def _end(_result: Any) -> None:
    """Let the scheduler forget what only the error of an interrupted cell keeps."""
    global _last_error
    error = getattr(sys, "last_value", None)  # Also where a magic runs the code and shows its error.
    if isinstance(error, KeyboardInterrupt | asyncio.CancelledError) and id(error) != _last_error:
        from ...dask_internals.interrupts import forget_futures

        forget_futures(error)
    _last_error = id(error)


def _requested(request: Mapping[str, Any], number: int) -> Cell:
    """Return the cell that a front end has asked the kernel to run."""
    header, metadata = request["header"], request.get("metadata") or {}
    sent = header.get("date")
    return Cell(
        id=str(header["msg_id"]),
        number=number,
        began=max(sent.timestamp(), _started) if isinstance(sent, datetime) else time.time(),
        code=line_of_work((request.get("content") or {}).get("code", "")),
        kernel=this_kernel(),
        cell=metadata.get("cellId"),
        notebook=os.environ.get("JPY_SESSION_NAME"),
    )


def line_of_work(code: str) -> str:
    """Return the last line of a cell that says what it computes, for people to recognize it."""
    lines = [line.strip() for line in code.splitlines()]
    saying = [line for line in lines if line and not line.startswith(_NO_WORK)]
    return (saying or lines or [""])[-1][:_LONGEST_CODE]
