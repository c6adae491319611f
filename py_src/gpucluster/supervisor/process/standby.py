"""A supervisor that has no cluster yet: it takes the one that is written to its record, or ends."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import threading
import time
from contextlib import suppress
from multiprocessing.util import get_temp_dir
from typing import NoReturn

from ...protocol.errors import GPUClusterError, InvalidState
from ...protocol.models import ClusterModel, ClusterState
from ...registry.ending import NEVER_TAKEN
from ...registry.holders import is_standby_wanted
from ...registry.record import Folder, identify, is_alive
from ...registry.store import Registry
from ..controller import Controller
from .caller import Adoption

logger = logging.getLogger("gpucluster.supervisor")

LIFETIME_SECONDS = 3600.0  # An unused standby ends after this time, even while a process wants it.
LOOK_SECONDS = 1.0
ADOPTION_SECONDS = 60.0  # Timeout between the record of a cluster and the request to take it.
_LOCK_SECONDS = 5.0


class Standby:
    """Waits for a cluster for as long as a running process wants it to."""

    def __init__(self, registry: Registry, folder: Folder) -> None:
        self._registry = registry
        self._folder = folder
        self._started = time.monotonic()
        self._chosen_at: float | None = None
        self.asked_for = False  # Whether it was requested to take a cluster.
        self.taken: asyncio.Future[tuple[Controller, Adoption]] = asyncio.get_running_loop().create_future()
        """The cluster and what it takes over, which waits until all imports are done."""

    async def adopt(self, adoption: Adoption) -> Controller:
        """Become the controller of the cluster in the record. When this raises, the process has to end."""
        if self.asked_for:
            raise InvalidState("This process already has a cluster.")
        self.asked_for = True
        model = await asyncio.to_thread(self._written)
        controller = Controller(self._registry, self._folder, model)
        shutil.rmtree(self._folder.wanted_by, ignore_errors=True)
        self.taken.set_result((controller, adoption))
        return controller

    def _written(self) -> ClusterModel:
        """Return the cluster that a holder of the registry's lock has written."""
        with self._registry.exclusive(_LOCK_SECONDS):
            record = self._registry.read(self._folder)
        mine = record is not None and record.process in {None, identify(os.getpid())}
        if record is None or record.kind != "cluster" or record.cluster is None or not mine:
            raise InvalidState("No cluster is assigned to this process.")
        if record.cluster.id != self._folder.id or record.cluster.state is not ClusterState.STARTING:
            raise InvalidState("The cluster assigned to this process is not waiting to start.")
        return record.cluster

    def note_ready(self) -> None:
        """Record that everything is imported, which only helps to choose: a failure stops no cluster that it has."""
        try:
            with self._registry.exclusive(_LOCK_SECONDS):
                record = self._registry.read(self._folder)
                if record is not None and record.kind == "standby":
                    self._registry.write(self._folder, record.model_copy(update={"ready": True}))
        except (GPUClusterError, FileNotFoundError) as error:
            logger.warning("The state of this standby cannot be written: %s", error)

    def check_release(self) -> None:
        """Raise `InvalidState` while a running process wants this standby, or when there is a cluster."""
        if self.asked_for:
            raise InvalidState("This process has a cluster; stop the cluster instead.")
        if is_standby_wanted(self._folder):
            raise InvalidState("Another of your processes uses this standby; it ends together with that one.")

    def end(self) -> NoReturn:
        """End this process at once, with its folder; what it has started ends with it."""
        shutil.rmtree(self._folder.path, ignore_errors=True)
        self._exit()

    def _exit(self) -> NoReturn:
        # The forkserver's folder: an exit that does not wait leaves it behind.
        shutil.rmtree(get_temp_dir(), ignore_errors=True)
        os._exit(0)

    def watch(self) -> None:
        """End once no process wants this standby; from a thread, which works while imports block the loop."""
        threading.Thread(target=self._watch, name="gpucluster-standby", daemon=True).start()

    def _watch(self) -> None:
        while not self.asked_for:
            time.sleep(LOOK_SECONDS)
            with suppress(GPUClusterError, OSError):  # What cannot be read now may be there at the next look.
                if not self._is_needed():
                    # Under the lock no process can choose this one.
                    with self._registry.exclusive(_LOCK_SECONDS):
                        if not self._is_needed() and not self.asked_for:
                            logger.info("This standby is no longer needed")
                            self._end_orphaned()

    def _end_orphaned(self) -> NoReturn:
        """End this process, and a cluster in the record that no process has requested it to take."""
        record = self._registry.read(self._folder)
        if record is None or record.cluster is None:
            self.end()
        with suppress(GPUClusterError, OSError):  # If it cannot be written, readers see that this process is gone.
            self._registry.write_failure(self._folder, record, NEVER_TAKEN)
        shutil.rmtree(self._folder.wanted_by, ignore_errors=True)
        self._exit()

    def _is_needed(self) -> bool:
        record = self._registry.read(self._folder)
        if record is not None and record.kind == "cluster":
            # The process that has written it may die before its request.
            self._chosen_at = self._chosen_at or time.monotonic()
            asker_lives = record.asked_by is None or is_alive(record.asked_by)
            return asker_lives and time.monotonic() - self._chosen_at < ADOPTION_SECONDS
        return is_standby_wanted(self._folder) and time.monotonic() - self._started < LIFETIME_SECONDS
