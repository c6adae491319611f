"""What cells computed on all clusters; of each that was removed, a file is kept for some days.

For the default registry, in ``/tmp``, they are in ``$XDG_DATA_HOME/gpucluster/history`` (``~/.local/share``), which
outlives the machine's next start; for another one in its folder ``history``.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ..protocol.cells import CellWork
from ..protocol.sizes import parse_size
from . import logs
from .directory import default_directory, write_private
from .record import Folder, stamped

DAYS_VARIABLE, SIZE_VARIABLE = "GPUCLUSTER_HISTORY_DAYS", "GPUCLUSTER_HISTORY_SIZE"
DAYS = 30.0
BYTES = 64 * 2**20
_MOST_DAYS = 36_500.0  # Dates have an end.
_BLOCK_BYTES = 4096  # A small file takes that much.


def history_folder(registry: Path) -> Path:
    """Return where the cells of removed clusters are kept."""
    if os.environ.get("GPUCLUSTER_DIR") or registry != default_directory():
        return registry / "history"
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "gpucluster" / "history"


def kept_days() -> float:
    """Return how long cells are kept; a setting that cannot be read is the default."""
    with suppress(ValueError):
        return min(max(0.0, float(os.environ.get(DAYS_VARIABLE, DAYS))), _MOST_DAYS)
    return DAYS


def kept_bytes() -> int:
    """Return how much is kept; a setting that cannot be read, as a percentage of nothing, is the default."""
    with suppress(ValueError):
        size = parse_size(os.environ.get(SIZE_VARIABLE, BYTES))
        return size if isinstance(size, int) else BYTES
    return BYTES


def keep(folder: Folder) -> None:
    """Copy the cells of a cluster that is about to be removed. Never raises: its removal must not fail."""
    with suppress(OSError, RuntimeError):
        found = logs.read_cells(folder.cells)
        if not found or not kept_days():
            return
        place = history_folder(folder.path.parent)
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        lines = "".join(f"{cell.model_dump_json(exclude_defaults=True)}\n" for cell in found)
        write_private(place / f"{folder.id}.jsonl", lines)
        _forget_old(place)


def _forget_old(place: Path) -> None:
    with os.scandir(place) as entries:
        ours = [entry for entry in entries if entry.name.endswith(".jsonl")]
    files = sorted(((entry.stat().st_mtime, entry) for entry in ours), key=lambda item: -item[0])
    oldest, size = time.time() - kept_days() * 86_400, 0
    for changed, entry in files:
        size += max(_BLOCK_BYTES, entry.stat().st_size)
        if changed < oldest or size > kept_bytes():
            os.unlink(entry.path)


def read(registry: Path, folders: list[Folder]) -> list[CellWork]:
    """Return the cells of these clusters and of removed ones, oldest first."""
    since = stamped(datetime.now(UTC) - timedelta(days=kept_days()))
    files = [folder.cells for folder in folders]
    with suppress(OSError, RuntimeError):
        files += history_folder(registry).glob("*.jsonl")
    found = {cell.id: cell for file in reversed(files) for cell in logs.read_cells(file)}
    # Clusters that still exist show all of theirs.
    there = {folder.id for folder in folders}
    kept = [cell for cell in found.values() if cell.began >= since or (cell.where and cell.where.cluster_id in there)]
    return sorted(kept, key=lambda cell: cell.began)
