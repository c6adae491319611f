"""A ``distributed.Client`` that gives no secret away in a notebook, and goes when its cluster does. Imports Dask."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError
from contextvars import ContextVar
from typing import Any

from ..dask_internals.clients import AFTER_THE_END, ClientOfCluster, ClosedClientError
from ..protocol.errors import ClusterEnded, GPUClusterError
from ..protocol.models import ClusterModel, ClusterState
from .dashboard import jupyter_link

_HIDDEN = "https://dashboard.gpucluster.invalid/"
"""Stands in the picture for a link that holds a secret, and is taken out of it again."""
_shown: ContextVar[bool] = ContextVar("gpucluster_client_is_shown", default=False)
_OVER = {ClusterState.STOPPING, ClusterState.STOPPED, ClusterState.FAILED}


class ClientClosed(ClusterEnded, ClosedClientError, CancelledError):
    """The client can compute nothing any more: mostly because its cluster has ended."""

    code = "client_closed"


class Client(ClientOfCluster):
    """``distributed.Client``, as it is connected by ``Cluster.get_client``.

    Outside Jupyter the link to the dashboard holds the secret part of its address, and a notebook with it may be
    saved and passed on.

    When the cluster ends, the client closes. distributed leaves it the default client, and Dask's configuration
    pointing to it, so that everything that is computed later in the notebook would fail. Whoever waits for a result
    then, or asks this client for one, is told so in a sentence.
    """

    @property
    def dashboard_link(self) -> str | None:
        """Link to the dashboard; ``None`` when the cluster is gone."""
        if _shown.get():
            model = self._model()
            if model is None or model.dashboard_path is None:
                return None
            return jupyter_link(model) or _HIDDEN
        try:
            link: str | None = super().dashboard_link
        except GPUClusterError:
            return None
        return link

    def hide_in_html(self, html: str) -> str:
        """Return how the client is shown, without a link that holds the secret."""
        link = f'<a href="{_HIDDEN}" target="_blank">{_HIDDEN}</a>'
        return html.replace(link, "<code>client.dashboard_link</code>").replace(_HIDDEN, "")

    def _repr_html_(self) -> str:
        # To be looked at must not open a port, as asking for the link does.
        shown = _shown.set(True)
        try:
            return super()._repr_html_()
        finally:
            _shown.reset(shown)

    def sync(self, func: Callable[..., Awaitable[Any]], *args: Any, **options: Any) -> Any:
        """Call a function of the client, as every request for results does."""

        async def told(*args: Any, **options: Any) -> Any:
            try:
                return await func(*args, **options)
            except (CancelledError, *AFTER_THE_END):
                # A client whose scheduler was killed tries to connect again for a while, which nobody need wait for.
                if self.status in {"closing", "closed"} or self._is_over(self._model()):
                    raise self.after_the_end() from None
                raise

        try:
            return super().sync(told, *args, **options)  # type: ignore[no-untyped-call]
        except RuntimeError:
            if self.status != "closed":
                raise
            raise self.after_the_end() from None  # Whoever closes a client ends its event loop, too.

    def _model(self) -> ClusterModel | None:
        try:
            model: ClusterModel | None = getattr(self.cluster, "model", None)
        except (GPUClusterError, OSError):  # It was removed from the list.
            return None
        return model

    def _is_over(self, model: ClusterModel | None) -> bool:
        return model is not None and model.state in _OVER

    def after_the_end(self) -> ClientClosed:
        """Return the sentence for whoever asks this client for something when it is closed."""
        model = self._model()
        if model is not None and not self._is_over(model):
            return ClientClosed(
                f"This client is closed; the cluster '{model.name}' goes on. Make another client: "
                f'gpucluster.connect("{model.name}").get_client().'
            )
        name = f"The cluster '{model.name}'" if model is not None else "Its cluster"
        state = "is stopping" if model is not None and not model.state.ended else "has ended"
        why = f" {model.reason}" if model is not None and model.reason else ""
        return ClientClosed(
            f"{name} {state}, so this client is closed and what it held is lost.{why} "
            "Create another cluster, or connect to one: gpucluster.create(), gpucluster.connect()."
        )
