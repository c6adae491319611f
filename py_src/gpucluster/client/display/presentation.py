"""How a handle on a cluster is shown in a notebook.

The client knows nothing of widgets: it hands itself to the package named below, which is imported when something is
shown and not before. This is the one place where the client names what lies above it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from ...protocol.models import ClusterModel
    from ...protocol.recordings import RecordedSession
    from ..control import AsyncControl

_PACKAGE = "gpucluster.widgets"


class ShownCluster(Protocol):
    """What is asked of a cluster that is shown. ``Cluster`` and ``AsyncCluster`` answer it."""

    id: str

    @property
    def model(self) -> ClusterModel:
        """The cluster as it is now."""

    @property
    def control(self) -> AsyncControl:
        """How it is reached."""

    @property
    def dashboard_link(self) -> str:
        """Link to the dashboard."""


class View(Protocol):
    """What an output of a notebook shows: live, or a still picture."""

    def close(self) -> None:
        """Stop the updates; what was shown last stays."""


class Presentation(Protocol):
    """What can show a cluster."""

    def gauges(self, cluster: ShownCluster) -> View:
        """Return live gauges, or their picture where nothing can be live."""

    def dashboard(self, cluster: ShownCluster, page: str) -> View:
        """Return a page of the dashboard, or its address where it cannot be shown."""

    def show_card(self, cluster: ShownCluster) -> None:
        """Show the card in a notebook."""

    def card_bundle(self, cluster: ShownCluster, output: str) -> dict[str, Any]:
        """Return the card for an output of a notebook that exists, by its ``display_id``."""

    def replay(self, session: RecordedSession, speed: float) -> View:
        """Return gauges fed from a recording, or their picture where nothing can be played."""


def presentation() -> Presentation:
    return cast(Presentation, import_module(_PACKAGE))


def shell_of_notebook() -> Any:
    """Return the shell of this kernel; None in a terminal or a script, where nothing can be live."""
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return None
    shell = get_ipython()
    return shell if getattr(shell, "kernel", None) is not None else None
