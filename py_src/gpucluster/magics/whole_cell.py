"""Cells that ``%%gpucluster`` does something around: the cell itself runs as every other.

The first line becomes a line magic, and the rest stays the cell. So IPython runs it as it runs any cell: ``await``
works, the last expression is displayed, a traceback is the user's own with the right line numbers.
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
    """The cell must not run, as what goes around it cannot begin. Shown as a sentence, without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class CellWatch:
    """Calls back once when the cell that runs now is over.

    `over`: gets IPython's result of the cell; ``None`` where it runs silently, as IPython tells none then. `at_once`:
    call it without the result, but also at the end of a silent cell, and not only when the next one begins.
    """

    def __init__(self, shell: InteractiveShell, over: Callable[[Any], None], *, at_once: bool = False) -> None:
        self._events: Any = shell.events
        self._over = over
        self._at_once = at_once
        self._thread = threading.get_ident()
        self._depth = 0
        self._ending = False
        # Those of the first kind come with every cell, also a silent one, and with messages of widgets; those of the
        # second tell how the cell ended.
        self._callbacks: dict[str, Callable[..., Any]] = {
            "pre_execute": self._begin,
            "post_execute": self._end,
            "post_run_cell": self._tell,
        }
        for event, callback in self._callbacks.items():
            self._events.register(event, callback)

    def _begin(self) -> None:
        # Cells inside the cell: %run, %%capture. Other threads are subshells, with cells of their own.
        if threading.get_ident() != self._thread:
            return
        if self._ending:
            self._tell(None)
        else:
            self._depth += 1

    def _end(self) -> None:
        if threading.get_ident() == self._thread:
            self._ending = not self._depth
            self._depth = max(0, self._depth - 1)
            if self._at_once:
                self._tell(None)

    def _tell(self, result: Any) -> None:
        if threading.get_ident() == self._thread and self._ending:
            self.stop()
            self._over(result)

    def stop(self) -> None:
        self._ending = False
        for event, callback in self._callbacks.items():
            self._events.unregister(event, callback)


def rewritten(lines: list[str], transformed: Callable[[str], str]) -> list[str]:
    """Turn ``%%gpucluster profile …`` on the first line into a line magic, and leave the rest a cell.

    Whoever types only a question (``--help``), or something that cannot be read, gets the answer and no cell.

    `lines`: of the cell, with their ends. `transformed`: makes Python of a cell, as the shell does with every other.
    Raises `SyntaxError`: the cell cannot run. IPython shows it and runs nothing.
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
        if not may_expand(first):  # Else it may be right once it is expanded, which is when the magic runs.
            return magic
    body = lines[1:]
    place = next((number for number, line in enumerate(body) if line.strip()), None)
    if place is not None and body[place].startswith("%%"):
        name, _, rest = body[place].strip().removeprefix("%%").partition(" ")
        code = "".join(body[place + 1 :])
        return [*magic, f"get_ipython().run_cell_magic({name!r}, {rest!r}, {code!r})\n"]
    _must_compile(transformed("".join(["\n", *body])))
    return magic + body


def _must_compile(code: str) -> None:
    """Refuse what IPython would only refuse when its turn has come, such as a ``return``: after the lease, halfway.

    What is no Python at all, IPython refuses before anything runs, or waits for the rest of it.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return
    compile(tree, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
