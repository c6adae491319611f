"""Where a worker holds its results: in GPU memory, in host memory, on disk.

With dask-cuda's ``DeviceHostFile`` Dask's own figures are wrong: they count results in GPU memory as host memory, and
show nothing as spilled, ever.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any

from .rounding import size


def has_device_tiers(data: Any) -> bool:
    """Whether this is a ``DeviceHostFile``."""
    return hasattr(data, "device_buffer") and hasattr(data, "host_buffer")


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
        data = self._worker.data
        figures = self._with_device(data) if has_device_tiers(data) else self._host_only(data)
        return {column: size(value) for column, value in figures.items()} | _cudf_spilled()

    def _host_only(self, data: Any) -> dict[str, float | None]:
        known = self._worker.state.nbytes
        spilled = getattr(data, "spilled_total", None)
        if spilled is None:
            # No spilling: all results are in host memory, or in a store of somebody else's that does not tell.
            held = known if isinstance(data, dict) else None
            return {"managed_bytes": known, "tier_host_bytes": held, "tier_disk_bytes": None}
        held = max(0, known - spilled.memory)
        return {"managed_bytes": held, "tier_host_bytes": held, "tier_disk_bytes": spilled.disk}

    def _with_device(self, data: Any) -> dict[str, float | None]:
        host = self._weight(data.host_buffer)
        return {
            "managed_bytes": host,
            "tier_device_bytes": self._weight(data.device_buffer),
            "tier_device_limit_bytes": getattr(data.device_buffer, "n", None),
            "tier_host_bytes": host,
            "tier_disk_bytes": self._disk_bytes(data),
        }

    def _weight(self, buffer: Any) -> float | None:
        """Return the bytes in a tier; one without a limit is a plain dictionary, of which Dask knows the sizes."""
        if not isinstance(buffer, dict):
            weight: float | None = getattr(buffer.fast, "total_weight", None)
            return weight
        tasks = self._worker.state.tasks
        return sum(tasks[key].nbytes or 0 for key in list(buffer) if key in tasks)

    def _disk_bytes(self, data: Any) -> int | None:
        """Add up the files that hold spilled results. A file never changes, so each is looked at once."""
        if data.disk is None:
            return None
        names = set(data.disk.filenames.values())
        for gone in self._files.keys() - names:
            del self._files[gone]
        for new in names - self._files.keys():
            with suppress(OSError):  # It was read back, and deleted, meanwhile.
                self._files[new] = os.stat(os.path.join(data.disk_func_path, new)).st_size
        return sum(self._files.values())


def _cudf_spilled() -> dict[str, int | None]:
    """Return what cuDF has moved out of GPU memory by itself and not yet back."""
    module = sys.modules.get("cudf.core.buffer.spill_manager")
    manager = module.get_global_manager() if module is not None else None
    if manager is None:
        return {}
    # Not its statistics: they go on counting what was deleted while it was in host memory.
    return {"cudf_spilled_bytes": size(sum(buffer.size for buffer in manager.buffers() if buffer.is_spilled))}
