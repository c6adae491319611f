"""Settings of an MPI library before it is loaded, and what it leaves behind. Imports nothing of Dask or MPI."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from ...operating_system.memory import SHARED_MEMORY, mapped_files
from ...operating_system.neighbours import may_read_each_other


def prepare_library() -> None:
    """Let MPICH copy large messages within one machine once instead of twice, if processes may read each other.

    Its default takes several times as long (``benchmarks/results/history.md``). Open MPI does this automatically.
    Existing environment variables are kept.
    """
    if may_read_each_other():
        os.environ.setdefault("MPIR_CVAR_CH4_CMA_ENABLE", "1")


def forget_names_of_shared_memory(world: Any) -> None:
    """Unlink the shared memory of MPICH, which all ranks have open; all of them must call this.

    Otherwise a rank that is killed would leave a file of a megabyte or more, which takes memory until the machine
    restarts.
    """
    paths = [path for path in mapped_files() if path.startswith(f"{SHARED_MEMORY}/mpich_shm_")]
    world.Barrier()
    for path in paths:
        with suppress(OSError):  # Another rank of this machine was faster.
            os.unlink(path)
