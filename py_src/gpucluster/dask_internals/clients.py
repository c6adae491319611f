"""``distributed.Client`` beyond what is documented of it. Importing this imports distributed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

import distributed
from distributed.client import ClosedClientError

__all__ = ["AFTER_THE_END", "ClientOfCluster", "ClosedClientError", "Kept", "client_ids", "kept", "known_workers"]

AFTER_THE_END = (ClosedClientError, OSError, RuntimeError, AttributeError)
"""What distributed raises, beside ``CancelledError``, when a client that is closed is asked for something.

It finds no scheduler there. ``distributed.client.ClosedClientError`` (2025.4).
"""


def client_ids() -> set[str]:
    """Return the ids of all clients of this process: ``Client._instances``, a weak set (2021.1)."""
    return {client.id for client in list(distributed.Client._instances)}


class Kept(NamedTuple):
    """What a scheduler knows of data on workers, and of the workers, at one time."""

    sizes: dict[Any, int]
    """Bytes of each result that workers keep, by key; also of others."""
    holders: dict[Any, Sequence[str]]
    """Addresses of the workers that have it, by key."""
    workers: dict[str, Any]
    """What is known of each worker, by address."""


def known_workers(client: Any) -> dict[str, Any]:
    """Return what the scheduler knows of each worker, by address.

    ``Client.scheduler_info(n_workers=-1)`` may return none: it asks the scheduler, waits, and then returns what the
    client remembers; meanwhile the client's own clock may have asked for the information without workers. Relies on
    ``Client.scheduler.identity(n_workers=)``, a coroutine function (2025.2).
    """
    found: dict[str, Any] = client.sync(_scheduler_of(client).identity, n_workers=-1)["workers"]
    return found


def kept(client: Any, keys: Sequence[Any]) -> Kept:
    """Ask a scheduler for everything about some results with one waiting.

    Relies on the coroutine functions ``Client.scheduler.nbytes(keys=, summary=)`` and ``who_has(keys=)`` (2021.1), and
    on the same as `known_workers`.
    """
    scheduler = _scheduler_of(client)

    async def ask() -> tuple[Any, Any, Any]:
        # For one that it has forgotten, the scheduler would tell no size at all.
        return await asyncio.gather(
            scheduler.nbytes(keys=None, summary=False),
            scheduler.who_has(keys=list(keys)),
            scheduler.identity(n_workers=-1),
        )

    sizes, holders, identity = client.sync(ask)
    return Kept(sizes, holders, identity["workers"])


def _scheduler_of(client: Any) -> Any:
    """Return what calls the scheduler; ``None`` in a client that is closed."""
    if client.scheduler is None:
        raise ClosedClientError("The client is closed.")
    return client.scheduler


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
