"""Keeps ``state.json`` in step with the supervisor, at most ten times a second."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any

from ..protocol.models import ClusterModel
from ..registry.process import identify
from ..registry.record import Folder, Record
from ..registry.store import Registry

COALESCE_SECONDS = 0.1


class Journal:
    """Holds the cluster's model and writes it down.

    A change of state is on disk when ``update`` returns: a crash at any line leaves something that can be
    cleaned. Changes of mere figures are collected for a tenth of a second.

    Parameters
    ----------
    registry, folder
        Where the cluster is written down.
    model : ClusterModel
        As it is now.
    tell : callable
        Told each new model, before it is on disk.
    """

    def __init__(
        self, registry: Registry, folder: Folder, model: ClusterModel, tell: Callable[[ClusterModel], None]
    ) -> None:
        self._registry = registry
        self._folder = folder
        self._tell = tell
        self._process = identify(os.getpid())
        self._pending: asyncio.TimerHandle | None = None
        self.model = model.model_copy(update={"pid": os.getpid()})
        self.write()

    def update(self, *, soon: bool = False, **changes: Any) -> ClusterModel:
        """Change fields of the model; returns the new model.

        Parameters
        ----------
        soon : bool
            The change may reach the disk a tenth of a second later.
        """
        if all(getattr(self.model, name) == value for name, value in changes.items()):
            return self.model
        self.model = self.model.model_copy(update=changes)
        # Told first: who reads on disk that the cluster has ended finds its activity complete.
        self._tell(self.model)
        if not soon:
            self.write()
        elif self._pending is None:
            self._pending = asyncio.get_running_loop().call_later(COALESCE_SECONDS, self.write)
        return self.model

    def write(self) -> None:
        """Write the model now."""
        if self._pending is not None:
            self._pending.cancel()
            self._pending = None
        if not self._folder.state.exists():
            return  # It was deleted; this process ends soon.
        self._registry.write(self._folder, Record(kind="cluster", cluster=self.model, process=self._process))
