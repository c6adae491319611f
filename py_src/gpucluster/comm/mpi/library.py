"""What an MPI library is told before it is loaded. Imports nothing of Dask or MPI."""

from __future__ import annotations

import os

from ...operating_system.neighbours import may_read_each_other


def prepare_library() -> None:
    """Let MPICH copy large messages within one machine once instead of twice, where processes may read each other.

    Its own default is two copies through pieces of shared memory, in which both sides take turns: that takes several
    times as long, and more where there are fewer processors than ranks (``benchmarks/README.md``). Open MPI does it
    by itself. What the environment says already stays.
    """
    if may_read_each_other():
        os.environ.setdefault("MPIR_CVAR_CH4_CMA_ENABLE", "1")
