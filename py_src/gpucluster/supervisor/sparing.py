"""Less memory for each cluster where a site says that many people share the machine."""

from __future__ import annotations

import os

from ..site.place import site_path
from .preloading import PRELOAD_LATER


def spare_memory_where_many_share() -> None:
    """Let workers import pandas and scikit-learn themselves, when a task needs them, where the machine is shared.

    Else the process that workers are forked from has them as well: 60 to 70 MB for each cluster, for workers that come
    later. Call it before that process is started; ``GPUCLUSTER_PRELOAD_LATER`` in the environment decides otherwise.
    """
    if PRELOAD_LATER in os.environ or not site_path().exists():
        return  # Most machines have no site: nothing is imported for it.
    from ..site.reading import this_site
    from ..site.sharing import Sharing

    if this_site().sharing != Sharing():
        os.environ[PRELOAD_LATER] = "0"
