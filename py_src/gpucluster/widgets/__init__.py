"""Live views of clusters in notebooks: gauges, dashboards and the card of a cluster.

They are anywidgets on ipywidgets, drawn by the same code as the panel. Outside notebooks there are text pictures
(``Picture``). This package is only imported when something is shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar
from uuid import uuid4
from weakref import WeakValueDictionary

from ..client.background import run
from ..client.display.dashboard import find_page, page_link
from ..client.display.presentation import shell_of_notebook
from ..client.handle import ClusterHandle
from ..protocol.errors import GPUClusterError
from ..protocol.recordings import RecordedSession
from .picture import Picture
from .views import ClusterCard, ClusterDashboard, ClusterGauges, OutputWidget, RecordedGauges, RecordedPicture, link_of

__all__ = ["ClusterCard", "ClusterDashboard", "ClusterGauges", "Picture", "RecordedGauges", "RecordedPicture",
           "card_bundle", "dashboard", "gauges", "replay", "show_card"]  # fmt: skip

W = TypeVar("W", bound=OutputWidget)

_made: WeakValueDictionary[tuple[str, ...], OutputWidget] = WeakValueDictionary()
"""By content: a cell that runs again shows another view of the same widget."""


def gauges(cluster: ClusterHandle) -> ClusterGauges | Picture:
    """Return live gauges; outside notebooks, and for an ended cluster, their picture."""
    model = cluster.model
    if shell_of_notebook() is None or model.state.ended:
        return _picture(cluster)
    return _once(ClusterGauges, _key(cluster), lambda: ClusterGauges(cluster, cluster.control))


def dashboard(cluster: ClusterHandle, page: str) -> ClusterDashboard | Picture:
    """Return a page of the dashboard; outside notebooks, a picture with its address."""
    found = find_page(page)
    address = cluster.dashboard_link  # Raises if it is not open.
    if shell_of_notebook() is None:
        return Picture(cluster.model, None, f"Dashboard: {page_link(address, found)}")
    key = (*_key(cluster), found.path)
    made = _once(ClusterDashboard, key, lambda: ClusterDashboard(cluster, cluster.control, found))
    made.page = found.path  # A view may show another one.
    return made


def show_card(cluster: ClusterHandle) -> None:
    from IPython.display import display

    output = uuid4().hex
    display(card_bundle(cluster, output), raw=True, display_id=output)  # type: ignore[no-untyped-call]


def card_bundle(cluster: ClusterHandle, output: str) -> dict[str, Any]:
    """Return the content of the output with that ``display_id``."""
    model = cluster.model
    if model.state.ended:
        picture = _picture(cluster)
        return {"text/plain": repr(cluster), "text/html": picture.html}
    card = _once(ClusterCard, _key(cluster), lambda: ClusterCard(cluster, cluster.control))
    return {**card.bundle_for(output), "text/plain": repr(cluster)}


def replay(session: RecordedSession, speed: float) -> RecordedGauges | RecordedPicture:
    """Return gauges that play a recording; outside notebooks, its last moment."""
    if shell_of_notebook() is None:
        return RecordedPicture(session)
    content = hashlib.sha256(session.encoded()).hexdigest()
    return _once(RecordedGauges, (content, str(speed)), lambda: RecordedGauges(session, speed))


def _key(cluster: ClusterHandle) -> tuple[str, ...]:
    return (str(cluster.control.registry.directory), cluster.id)


def _once(kind: type[W], what: tuple[str, ...], make: Callable[[], W]) -> W:
    """Return the live widget of that kind and content, creating it if necessary."""
    key = (kind.__name__, *what)
    made = _made.get(key)
    if not isinstance(made, kind) or made.comm is None:
        made = make()
        _made[key] = made
    return made


def _picture(cluster: ClusterHandle) -> Picture:
    sample = None
    if not cluster.model.state.ended:
        with suppress(GPUClusterError):  # It is starting or busy; the rest can be shown.
            sample = run(cluster.control.telemetry(cluster.id))
    return Picture(cluster.model, sample, link=link_of(cluster))
