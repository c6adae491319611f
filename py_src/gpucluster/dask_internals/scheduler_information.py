"""What a client can ask its scheduler beyond what is documented. Importing this does not import distributed."""

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple


class Kept(NamedTuple):
    """What a scheduler knows of data on workers, and of the workers, at one time."""

    sizes: dict[Any, int]  # Bytes of each result in memory, by key, including other ones.
    holders: dict[Any, Sequence[str]]  # Addresses of the workers that have it, by key.
    workers: dict[str, Any]  # What is known of each worker, by address.


def known_workers(client: Any) -> dict[str, Any]:
    """Return what the scheduler knows of each worker, by address.

    ``Client.scheduler_info(n_workers=-1)`` may return none: it asks the scheduler, waits, and then returns what the
    client remembers; meanwhile the client's own clock may have asked for the information without workers. Relies on
    ``Client.scheduler.identity(n_workers=)``, a coroutine function (2025.2).
    """
    return client.sync(_scheduler_of(client).identity, n_workers=-1)["workers"]


def known_scheduler_id(client: Any) -> str | None:
    """Return the scheduler's id as the client remembers it, without a request: ``Client._scheduler_identity``.

    ``Client.scheduler_info`` waits for the scheduler, which a thread that runs an event loop must not do (2024.11).
    """
    return client._scheduler_identity.get("id")


def kept(client: Any, keys: Sequence[Any]) -> Kept:
    """Ask about results in one round trip: coroutines ``nbytes`` and ``who_has`` of ``Client.scheduler`` (2021.1)."""
    scheduler = _scheduler_of(client)

    async def ask() -> tuple[Any, Any, Any]:
        # With keys, the scheduler would return no sizes at all if it has forgotten one of them.
        return await asyncio.gather(
            scheduler.nbytes(keys=None, summary=False),
            scheduler.who_has(keys=list(keys)),
            scheduler.identity(n_workers=-1),
        )

    sizes, holders, identity = client.sync(ask)
    return Kept(sizes, holders, identity["workers"])


def _scheduler_of(client: Any) -> Any:
    """Return the object that calls the scheduler. Raises `ClosedClientError` if the client is closed."""
    if client.scheduler is None:
        from .clients import ClosedClientError

        raise ClosedClientError("The client is closed.")
    return client.scheduler
