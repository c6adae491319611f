"""``%gpucluster`` and ``%%gpucluster``.

Registering them imports nothing: what a verb needs is imported at its first use.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.completer import CompletionContext, SimpleMatcherResult
    from IPython.core.interactiveshell import ExecutionInfo, InteractiveShell

__all__ = ["register", "unregister"]

_LOADS = re.compile(r"\bload_ext\s+gpucluster\b")
_LOADS_OTHERWISE = re.compile(r"\b(un|re)load_ext\s+gpucluster\b")

_DOCUMENTATION = """Create, use and stop clusters. ``%gpucluster help`` lists the verbs.

    %gpucluster create --backend local --n-workers 2
    %gpucluster connect
    %gpucluster scale 4
    %gpucluster stop

Variables are expanded as in every line magic: ``{expression}`` and ``$name``.
With ``%%gpucluster``, the arguments may continue over the lines of the cell, which are not expanded.
``%%gpucluster lease`` takes a worker for the cell; ``%%gpucluster profile`` shows what the cluster did in it.
"""


def register(shell: InteractiveShell) -> None:
    """Register the magics and their completion in a shell. Calling it twice changes nothing."""
    if "gpucluster" in shell.magics_manager.magics["line"]:
        return
    from IPython.core.magic import no_var_expand

    # IPython expands all of a line or nothing, without a message about undefined names, and a JSON value would prevent
    # all expansion. So Session expands lines.
    @no_var_expand
    def gpucluster(line: str, cell: str | None = None) -> None:
        from .session import session_of

        # Below run_line_magic: the frame whose names IPython itself expands.
        session_of(shell).run(line, cell, {**shell.user_ns, **sys._getframe(2).f_locals})

    gpucluster.__doc__ = _DOCUMENTATION
    register_function: Any = shell.register_magic_function  # Its type hides the decorator's arguments.
    register_function(gpucluster, magic_kind="line_cell", magic_name="gpucluster")

    def gpucluster_matcher(context: CompletionContext) -> SimpleMatcherResult:
        from .completer import matches

        return matches(context)

    # IPython's decorator of matchers would set the same attributes.
    gpucluster_matcher.matcher_api_version = 2  # type: ignore[attr-defined]
    gpucluster_matcher.matcher_identifier = "gpucluster"  # type: ignore[attr-defined]
    gpucluster_matcher.matcher_priority = 0  # type: ignore[attr-defined]

    def gpucluster_whole_cell(lines: list[str]) -> list[str]:
        # A cell magic around a normal cell.
        if not lines or lines[0].split()[:2] not in (["%%gpucluster", "lease"], ["%%gpucluster", "profile"]):
            return lines
        from .cells import rewritten

        return rewritten(lines, shell.input_transformer_manager.transform_cell)

    def load_again(info: ExecutionInfo) -> None:
        # Avoid IPython's message that the extension is already loaded when a cell runs twice, as in the lessons.
        cell = info.raw_cell or ""
        if shell.extension_manager is not None and _LOADS.search(cell) and not _LOADS_OTHERWISE.search(cell):
            shell.extension_manager.loaded.discard("gpucluster")

    def loaded_still(_: object) -> None:
        if shell.extension_manager is not None:
            shell.extension_manager.loaded.add("gpucluster")

    def unregister() -> None:
        for kind in ("line", "cell"):
            shell.magics_manager.magics[kind].pop("gpucluster", None)
        shell.input_transformers_cleanup.remove(gpucluster_whole_cell)
        shell.events.unregister("pre_run_cell", load_again)
        shell.events.unregister("post_run_cell", loaded_still)
        if shell.Completer is not None:
            shell.Completer.custom_matchers.remove(gpucluster_matcher)

    gpucluster.unregister = unregister  # type: ignore[attr-defined]
    shell.input_transformers_cleanup.append(gpucluster_whole_cell)
    shell.events.register("pre_run_cell", load_again)
    shell.events.register("post_run_cell", loaded_still)
    if shell.Completer is not None:
        shell.Completer.custom_matchers.append(gpucluster_matcher)


def unregister(shell: InteractiveShell) -> None:
    """Remove the magics and their completion from a shell. Calling it twice changes nothing."""
    registered = shell.magics_manager.magics["line"].get("gpucluster")
    if registered is not None:
        registered.unregister()
