"""A ``distributed.Client`` that gives no secret away in a notebook, and goes when its cluster does. Imports Dask."""

from __future__ import annotations

import distributed

from ..protocol.errors import GPUClusterError


class Client(distributed.Client):
    """``distributed.Client``, as it is connected by ``Cluster.get_client``.

    Outside Jupyter the link to the dashboard holds the secret part of its address, and a notebook with it may be
    saved and passed on.

    When the cluster ends, the client closes. distributed leaves it the default client, and Dask's configuration
    pointing to it, so that everything that is computed later in the notebook would fail.
    """

    @property
    def dashboard_link(self) -> str | None:
        """Link to the dashboard; ``None`` when the cluster is gone."""
        try:
            link: str | None = super().dashboard_link
        except GPUClusterError:
            return None
        return link

    def _repr_html_(self) -> str:
        html: str = super()._repr_html_()  # type: ignore[no-untyped-call]
        link = self.dashboard_link
        if link is None or link.startswith("/"):
            return html
        shown = f'<a href="{link}" target="_blank">{link}</a>'
        return html.replace(shown, "<code>client.dashboard_link</code>").replace(link, "")

    async def _handle_report(self) -> None:
        await super()._handle_report()
        # It returns when the scheduler has said goodbye, or when this client is being closed.
        if self.status == "running":
            await self._close()
