"""What has to move between workers for an operation: by its plan, and by what the workers counted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from distributed import Client

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
