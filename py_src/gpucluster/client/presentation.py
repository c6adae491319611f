"""How a handle on a cluster is shown in a notebook.

The client knows nothing of widgets: it hands itself to the package below, which is imported when something is
shown and not before. This is the one place where something below a face names a face.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from ..protocol.recordings import RecordedSession
    from .cluster import Cluster

_FACE = "gpucluster.widgets"


class Presentation(Protocol):
    """What can show a cluster."""

    def gauges(self, cluster: Cluster) -> Any:
        """Return live gauges, or their picture where nothing can be live."""

    def dashboard(self, cluster: Cluster, page: str) -> Any:
        """Return a page of the dashboard, or its address where it cannot be shown."""

    def show_card(self, cluster: Cluster) -> None:
        """Show the card in a notebook."""

    def card_bundle(self, cluster: Cluster, output: str) -> dict[str, Any]:
        """Return the card for an output of a notebook that exists, by its ``display_id``."""

    def replay(self, session: RecordedSession, speed: float) -> Any:
        """Return gauges fed from a recording, or their picture where nothing can be played."""


def presentation() -> Presentation:
    """Return what shows clusters."""
    return cast(Presentation, import_module(_FACE))


def shell_of_notebook() -> Any:
    """Return the shell of this kernel; None in a terminal or a script, where nothing can be live."""
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return None
    shell = get_ipython()
    return shell if getattr(shell, "kernel", None) is not None else None
