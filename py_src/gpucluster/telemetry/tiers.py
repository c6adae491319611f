"""Where a worker holds its results: in GPU memory, in host memory, on disk."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any

from ..dask_internals.spilling import (
    device_tier_limit_bytes,
    has_device_tiers,
    keeps_in_memory,
    managed_bytes,
    spilled_bytes,
    spilled_files,
    tier_bytes,
)
from .rounding import size


class Tiers:
    """Reads the tiers of one worker.

    Parameters
    ----------
    worker : distributed.Worker
    """

    def __init__(self, worker: Any) -> None:
        self._worker = worker
        self._files: dict[str, int] = {}

    def figures(self) -> dict[str, int | None]:
        """Return the columns of tiers and managed memory."""
        figures = self._with_device() if has_device_tiers(self._worker) else self._host_only()
        return {column: size(value) for column, value in figures.items()} | _cudf_spilled()

    def _host_only(self) -> dict[str, float | None]:
        known = managed_bytes(self._worker)
        spilled = spilled_bytes(self._worker)
        if spilled is None:
            # No spilling: all results are in host memory, or in a store of somebody else's that does not tell.
            held = known if keeps_in_memory(self._worker) else None
            return {"managed_bytes": known, "tier_host_bytes": held, "tier_disk_bytes": None}
        held = max(0, known - spilled.memory)
        return {"managed_bytes": held, "tier_host_bytes": held, "tier_disk_bytes": spilled.disk}

    def _with_device(self) -> dict[str, float | None]:
        host = tier_bytes(self._worker, "host")
        return {
            "managed_bytes": host,
            "tier_device_bytes": tier_bytes(self._worker, "device"),
            "tier_device_limit_bytes": device_tier_limit_bytes(self._worker),
            "tier_host_bytes": host,
            "tier_disk_bytes": self._disk_bytes(),
        }

    def _disk_bytes(self) -> int | None:
        """Add up the files that hold spilled results. A file never changes, so each is looked at once."""
        paths = spilled_files(self._worker)
        if paths is None:
            return None
        for gone in self._files.keys() - paths:
            del self._files[gone]
        for new in paths - self._files.keys():
            with suppress(OSError):  # It was read back, and deleted, meanwhile.
                self._files[new] = os.stat(new).st_size
        return sum(self._files.values())


def _cudf_spilled() -> dict[str, int | None]:
    """Return what cuDF has moved out of GPU memory by itself and not yet back."""
    module = sys.modules.get("cudf.core.buffer.spill_manager")
    manager = module.get_global_manager() if module is not None else None
    if manager is None:
        return {}
    # Not its statistics: they go on counting what was deleted while it was in host memory.
    return {"cudf_spilled_bytes": size(sum(buffer.size for buffer in manager.buffers() if buffer.is_spilled))}
