"""What a cluster saves where a site shares the machine among many users."""

from __future__ import annotations

import os

from ...operating_system.lifetimes import yield_to_processes, yield_to_sessions
from ...site.place import site_path
from .preloading import PRELOAD_LATER

NICE = "GPUCLUSTER_NICE"
"""By how much workers lower their priority below Jupyter servers, notebooks and panels; ``0``: not at all."""
USUAL_NICE = 5  # On shared machines: a third of what the others get while the processors are busy.


def spare_where_many_share() -> None:
    """Take less memory and yield the processors, where the machine is shared.

    Workers then import pandas and scikit-learn themselves, when a task needs them, instead of inheriting them from the
    forkserver, where they take 60 to 70 MB per cluster. Call it before the forkserver starts;
    ``GPUCLUSTER_PRELOAD_LATER`` and ``GPUCLUSTER_NICE`` in the environment override it.
    """
    if not site_path().exists():
        return  # Most machines have no site and import nothing for it.
    from ...site.reading import this_site
    from ...site.sharing import Sharing

    if this_site().sharing != Sharing():
        os.environ.setdefault(PRELOAD_LATER, "0")
        os.environ.setdefault(NICE, str(USUAL_NICE))


def niceness() -> int:
    """Return by how much workers lower their priority; 0 without a valid number."""
    value = os.environ.get(NICE, "")
    return min(int(value), 19) if value.isdecimal() else 0


def yield_as_workers() -> None:
    """Let this process, the forkserver, and all its workers yield to the cluster's own process."""
    if nice := niceness():
        yield_to_processes(nice)


def yield_as_cluster() -> None:
    """Let the cluster yield to other sessions from now on. Call it once it runs, so that the start is not slowed."""
    if nice := niceness():
        yield_to_sessions(nice)
