"""Sees what changes in the registry without reading unchanged files."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from ..protocol.models import ClusterModel
from .record import Folder
from .store import Registry

LOCK_SECONDS = 1.0  # How often each running cluster's lock is tried: a killed supervisor changes no file.
LIST_SECONDS = 60.0  # How often the whole list is read, which also forgets old ended clusters.

Stamp = tuple[int, int, int]


@dataclass
class Changes:
    """The differences since the last look."""

    changed: list[ClusterModel] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)


class RegistryWatch:
    """Compares time, size and inode of the records' files, and reads those that differ."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._stamps: dict[str, Stamp] = {}
        self._listed_at = self._locks_tried_at = time.monotonic()
        self.known: dict[str, ClusterModel] = {}

    def start(self) -> list[ClusterModel]:
        """Return all clusters; ``look`` returns the later changes."""
        self._stamps = {folder.id: stamp for folder in self._registry.folders() if (stamp := stamp_of(folder.state))}
        models = self._registry.list()
        self.known = {model.id: model for model in models}
        return models

    def look(self) -> Changes:
        changes = Changes()
        now = time.monotonic()
        if now - self._listed_at >= LIST_SECONDS:
            self._listed_at = now
            self._registry.list()
        try_locks = now - self._locks_tried_at >= LOCK_SECONDS
        if try_locks:
            self._locks_tried_at = now
        stamps: dict[str, Stamp] = {}
        for folder in self._registry.folders():
            stamp = stamp_of(folder.state)
            if stamp is None:
                continue
            stamps[folder.id] = stamp
            known = self.known.get(folder.id)
            if stamp != self._stamps.get(folder.id) or (try_locks and known is not None and not known.state.ended):
                self._read(folder, known, changes)
        for id in self.known.keys() - stamps.keys():
            del self.known[id]
            changes.removed.append(id)
        self._stamps = stamps
        return changes

    def _read(self, folder: Folder, known: ClusterModel | None, changes: Changes) -> None:
        record = self._registry.record(folder)
        model = record.cluster if record is not None else None
        # An unchanged file gives the same object.
        if model is not None and model is not known and model != known:
            self.known[folder.id] = model
            changes.changed.append(model)


def stamp_of(path: Path) -> Stamp | None:
    """Return the state of a file, to be compared; ``None``: there is none."""
    try:
        found = os.stat(path, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return 0, 0, 0  # It is in the list, with the reason.
    return found.st_mtime_ns, found.st_size, found.st_ino
