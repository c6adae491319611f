"""Cells with ``%%gpucluster`` that otherwise run like any other cell.

The first line becomes a line magic, and the rest stays a cell. So ``await`` works, the last expression is displayed,
and tracebacks have the right line numbers.
"""

from __future__ import annotations

import ast
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..cli.arguments import HelpWanted
from ..protocol.errors import GPUClusterError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


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
    from ..cli.declarations import MAGIC
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
