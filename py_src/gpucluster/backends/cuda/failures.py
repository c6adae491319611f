"""Put into words why GPU workers did not start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...protocol.sizes import format_size

_RMM_SIGNS = ("CUDARuntimeError", "RMM failure", "MemoryError", "bad_alloc", "out_of_memory")
_ALLOCATORS = ("rmm_pool_size", "rmm_async", "rmm_managed_memory", "rmm_track_allocations")


def explain(cause: str, options: Mapping[str, Any]) -> str:
    """Return the cause with the option that has probably led to it and what to do, if that is known.

    Parameters
    ----------
    cause : str
        As found in the failed workers, without a full stop.
    options : mapping
        Arguments of ``LocalCUDACluster``.
    """
    chosen = [name for name in _ALLOCATORS if options.get(name)]
    if not chosen or not any(sign in cause for sign in _RMM_SIGNS):
        return cause
    option = chosen[0]
    size = f" ({format_size(options[option])})" if option == "rmm_pool_size" else ""
    advice = {
        "rmm_pool_size": "ask for a smaller pool, or leave it out",
        "rmm_async": "this GPU or driver may not support it; use rmm_pool_size instead",
        "rmm_managed_memory": "this GPU or driver may not support it; turn it off",
        "rmm_track_allocations": "turn it off, and see the log",
    }[option]
    return f"{cause}. The allocator asked for by {option}{size} could not be set up: {advice}"
