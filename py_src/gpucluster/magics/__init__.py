"""``%gpucluster`` and ``%%gpucluster``.

Registering them imports nothing: what a verb needs is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.completer import CompletionContext, SimpleMatcherResult
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["register"]

_DOCUMENTATION = """Create, use and stop clusters. ``%gpucluster help`` lists the verbs.

    %gpucluster create --backend local --n-workers 2
    %gpucluster connect
    %gpucluster scale 4
    %gpucluster stop

With ``%%gpucluster``, the arguments may go on over the lines of the cell.
``%%gpucluster lease`` takes a worker for the cell; ``%%gpucluster profile`` says what the cluster did in it.
"""


def register(shell: InteractiveShell) -> None:
    """Register the magics and their completion in a shell. Doing it twice changes nothing."""
    if "gpucluster" in shell.magics_manager.magics["line"]:
        return
    from IPython.core.magic import no_var_expand

    # IPython would evaluate {…} and $… in the line. It is split into words here, never evaluated.
    @no_var_expand
    def gpucluster(line: str, cell: str | None = None) -> None:
        from .session import session_of

        session_of(shell).run(line, cell)

    gpucluster.__doc__ = _DOCUMENTATION
    register_function: Any = shell.register_magic_function  # its type hides what the decorator adds
    register_function(gpucluster, magic_kind="line_cell", magic_name="gpucluster")

    def gpucluster_matcher(context: CompletionContext) -> SimpleMatcherResult:
        from .completer import matches

        return matches(context)

    # IPython asks functions that carry these three; its decorator would set the same.
    gpucluster_matcher.matcher_api_version = 2  # type: ignore[attr-defined]
    gpucluster_matcher.matcher_identifier = "gpucluster"  # type: ignore[attr-defined]
    gpucluster_matcher.matcher_priority = 0  # type: ignore[attr-defined]

    def gpucluster_whole_cell(lines: list[str]) -> list[str]:
        if not lines or not _is_around_cell(lines[0]):
            return lines
        from .whole_cell import rewritten

        return rewritten(lines, shell.input_transformer_manager.transform_cell)

    shell.input_transformers_cleanup.append(gpucluster_whole_cell)

    def load_again(*_: Any) -> None:
        # IPython would say that the extension is already loaded: in a cell that somebody runs twice, as in the lessons
        # and below "Connect", that is no news. Loading it again does nothing.
        if shell.extension_manager is not None:
            shell.extension_manager.loaded.discard("gpucluster")

    shell.events.register("pre_run_cell", load_again)
    if shell.Completer is not None:
        shell.Completer.custom_matchers.append(gpucluster_matcher)


def _is_around_cell(line: str) -> bool:
    """Return whether the cell below a line is to run as every other, with something around it."""
    return line.split()[:2] in (["%%gpucluster", "lease"], ["%%gpucluster", "profile"])
