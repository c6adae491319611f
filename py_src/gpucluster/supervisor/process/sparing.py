"""What a cluster does without where a site says that many people share the machine."""

from __future__ import annotations

import os

from ...operating_system.lifetimes import yield_to_processes, yield_to_sessions
from ...site.place import site_path
from .preloading import PRELOAD_LATER

NICE = "GPUCLUSTER_NICE"
"""How much less of busy processors workers take than what people look at: their Jupyter servers, notebooks and panels.
``0``: no less."""
USUAL_NICE = 5  # Where many share: a third of what the others get, while these want it.


def spare_where_many_share() -> None:
    """Take less memory and yield the processors, where the machine is shared.

    Workers import pandas and scikit-learn themselves, when a task needs them. Else the process that workers are forked
    from has them as well: 60 to 70 MB for each cluster, for workers that come later. Call it before that process is
    started; ``GPUCLUSTER_PRELOAD_LATER`` and ``GPUCLUSTER_NICE`` in the environment decide otherwise.
    """
    if not site_path().exists():
        return  # Most machines have no site: nothing is imported for it.
    from ...site.reading import this_site
    from ...site.sharing import Sharing

    if this_site().sharing != Sharing():
        os.environ.setdefault(PRELOAD_LATER, "0")
        os.environ.setdefault(NICE, str(USUAL_NICE))


def niceness() -> int:
    """Return by how much workers yield; 0 where nobody has said so, or what is said is no such number."""
    said = os.environ.get(NICE, "")
    return min(int(said), 19) if said.isdecimal() else 0


def yield_as_workers() -> None:
    """Let this process, from which workers are forked, and all of them yield to the cluster's own process."""
    if nice := niceness():
        yield_to_processes(nice)


def yield_as_cluster() -> None:
    """Let the cluster yield to other sessions from now on. Call it when it runs: nobody waits for its start then."""
    if nice := niceness():
        yield_to_sessions(nice)
