"""Interface between handles on clusters and the package that shows them in a notebook.

That package is imported only when something is shown. This is the only place where the client refers to it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from ...protocol.recordings import RecordedSession
    from ..handle import ClusterHandle

_PACKAGE = "gpucluster.widgets"


class View(Protocol):
    """Output of a notebook, live or a still picture."""

    def close(self) -> None:
        """Stop the updates; the last picture stays."""


class Presentation(Protocol):
    """What the display package offers."""

    def gauges(self, cluster: ClusterHandle) -> View:
        """Return live gauges or, outside notebooks, their picture."""

    def dashboard(self, cluster: ClusterHandle, page: str) -> View:
        """Return a page of the dashboard or, outside notebooks, its address."""

    def show_card(self, cluster: ClusterHandle) -> None:
        """Show the card in a notebook."""

    def card_bundle(self, cluster: ClusterHandle, output: str) -> dict[str, Any]:
        """Return the card for an existing output of a notebook, by its ``display_id``."""

    def replay(self, session: RecordedSession, speed: float) -> View:
        """Return gauges fed from a recording or, outside notebooks, their picture."""


def presentation() -> Presentation:
    return cast(Presentation, import_module(_PACKAGE))


def loaded_shell() -> Any:
    """Return IPython's shell; ``None`` in other programs. IPython is loaded where there is one: nothing is imported."""
    find = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return find() if find is not None else None


def shell_of_notebook() -> Any:
    """Return the shell of this kernel; None in a terminal or a script."""
    shell = loaded_shell()
    return shell if getattr(shell, "kernel", None) is not None else None
