"""``distributed.Client`` beyond what is documented of it. Importing this imports distributed."""

from __future__ import annotations

from typing import Any

import distributed
from distributed.client import ClosedClientError

__all__ = ["AFTER_THE_END", "ClientOfCluster", "ClosedClientError", "client_ids"]

AFTER_THE_END = (ClosedClientError, OSError, RuntimeError, AttributeError)
"""What distributed raises, beside ``CancelledError``, when a client that is closed is asked for something.

It finds no scheduler there. ``distributed.client.ClosedClientError`` (2025.4).
"""


def client_ids() -> set[str]:
    """Return the ids of all clients of this process: ``Client._instances``, a weak set (2021.1)."""
    return {client.id for client in list(distributed.Client._instances)}


class ClientOfCluster(distributed.Client):
    """``distributed.Client`` that closes with its scheduler, and tells its children when they send to none.

    Relies on the coroutine ``Client._handle_report()``, which returns when the scheduler has said goodbye or the client
    is being closed; on ``Client._send_to_scheduler(msg)``, which raises ``ClosedClientError`` then; on the coroutine
    ``Client._close()``; on ``Client.futures``, a dictionary of what the scheduler is asked to keep; and on
    ``Client._repr_html_()`` holding ``Client.dashboard_link`` (2025.4).
    """

    def after_the_end(self) -> Exception:
        """Return what to raise when something is to be sent, and there is no scheduler to send it to."""
        return ClosedClientError("The client is closed.")

    def hide_in_html(self, html: str) -> str:
        """Return how the client is shown in a notebook, from Dask's own way."""
        return html

    def _repr_html_(self) -> str:
        return self.hide_in_html(super()._repr_html_())  # type: ignore[no-untyped-call]

    async def _handle_report(self) -> None:
        await super()._handle_report()
        if self.status == "running":
            await self._close()

    def _send_to_scheduler(self, msg: dict[str, Any]) -> None:
        try:
            super()._send_to_scheduler(msg)  # type: ignore[no-untyped-call]
        except ClosedClientError:
            # A traceback keeps the futures that were just made, and the same cell, run again, would wait for them.
            self.futures.clear()
            raise self.after_the_end() from None
