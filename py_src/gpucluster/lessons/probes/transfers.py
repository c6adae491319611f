"""What moves: bytes that leave the workers, and what an operation sends between them, by its plan and as counted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from ...dask_internals.workers.following import n_sent, sent_since

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


Movement = Literal["none", "tree", "shuffle"]


def movement(collection: Any) -> Movement:
    """Read from the plan of a lazy table what it moves between partitions.

    Parameters
    ----------
    collection : dask.dataframe collection
        Not computed.

    Returns
    -------
    str
        ``"none"``: each partition of the result needs one partition of each table; ``"tree"``: each partition gives a
        partial result, which are merged; ``"shuffle"``: rows go to the partition that their key belongs to.
    """
    nodes = list(collection.optimize(fuse=False).expr.walk())
    names = [" ".join(base.__name__ for base in type(node).__mro__) for node in nodes]
    if any("Shuffle" in name or "P2P" in name for name in names):
        return "shuffle"
    joins = any("TreeReduce" in name for name in names)
    return "tree" if joins else "none"


def plan(collection: Any) -> str:
    """Return the plan of a lazy table, after Dask has made it better, as short lines; read it from the bottom.

    Parameters
    ----------
    collection : dask.dataframe collection
        Not computed.
    """
    return "\n".join(_short(line) for line in collection.optimize(fuse=False).expr.tree_repr().splitlines())


def _short(line: str) -> str:
    """Leave out of a step what fills the screen: paths, rows and functions. The columns stay."""
    if len(line) <= 100:
        return line
    columns = re.search(r"columns=\[[^\]]*\]", line)
    return f"{line.partition(':')[0]}: {columns[0] if columns else '…'}"


def bytes_between_workers(client: Client, collection: Any) -> int:
    """Let the workers compute a lazy table, leave the result there, and return the bytes they sent each other."""
    import gpucluster
    from distributed import wait

    with gpucluster.profile(client) as report:
        result = client.persist(collection)
        wait(result)
    result.release() if hasattr(result, "release") else None
    return report.transfers.between_workers_bytes or 0  # None: a cluster of one worker
