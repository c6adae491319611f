"""Bytes that the workers sent out of the cluster, counted by the workers themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...dask_internals.transfers import n_sent, sent_since

if TYPE_CHECKING:
    from types import TracebackType

    from distributed import Client


def _transfers(dask_worker: Any) -> int:
    return n_sent(dask_worker)


def _bytes_since(before: dict[str, int], dask_worker: Any) -> int:
    entries = sent_since(dask_worker, before.get(dask_worker.address, 0))
    # "who" names the worker that asked; it is empty when the notebook or the scheduler did.
    return sum(int(entry["total"]) for entry in entries if not entry["who"])


class Traffic:
    """Count the bytes of results that leave the workers inside a ``with`` block.

    What one worker sends to another does not count.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.

    Attributes
    ----------
    bytes : int
        Size of all results sent to the notebook, known when the block has ended.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.bytes = 0
        self._before: dict[str, int] = {}

    def __enter__(self) -> Traffic:
        self._before = dict(self.client.run(_transfers))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.bytes = sum(self.client.run(_bytes_since, self._before).values())
