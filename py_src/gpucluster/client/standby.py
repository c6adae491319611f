"""An idle supervisor that has done the slow part of a start: imports and a warm forkserver."""

from __future__ import annotations

import os
from contextlib import suppress

from ..protocol.errors import GPUClusterError
from ..registry import lock
from ..registry.process import ProcessIdentity, identify
from ..registry.record import Folder, Record
from ..registry.standby_users import want, want_no_more
from ..registry.store import Registry
from .environment import cluster_environment, fingerprint
from .launch import launch
from .transport import ask_supervisor

RELEASE_SECONDS = 5.0


def standbys(registry: Registry, *, clean: bool = False) -> list[tuple[Folder, Record]]:
    """Return the living standbys.

    Parameters
    ----------
    clean : bool
        Delete the folders of dead ones. Only while holding the registry's lock.
    """
    found = []
    for folder in registry.folders():
        with suppress(GPUClusterError):
            record = registry.read(folder)
            if record is None or record.kind != "standby":
                continue
            if lock.is_held(folder.lock):
                found.append((folder, record))
            elif clean:
                registry.delete(folder)
    return found


def take_standby(registry: Registry, wanted: str) -> tuple[Folder, ProcessIdentity | None] | tuple[None, None]:
    """Return a standby of that fingerprint, ready ones first. Call it while holding the registry's lock.

    One that is still warming up is further than a new process would be.
    """
    fitting = [(folder, record) for folder, record in standbys(registry, clean=True) if record.fingerprint == wanted]
    fitting.sort(key=lambda item: not item[1].ready)
    return (fitting[0][0], fitting[0][1].process) if fitting else (None, None)


def start_standby(registry: Registry, *, python: str) -> bool:
    """Start a standby unless a living one fits already; returns whether one was started.

    It stays for as long as this process lives and wants it. Those that do not fit (any more) are let go.
    """
    environment = cluster_environment()
    wanted = fingerprint(python, environment)
    with registry.exclusive():
        living = standbys(registry, clean=True)
        fitting = [folder for folder, record in living if record.fingerprint == wanted]
        for folder, _ in living:
            if folder not in fitting:
                want_no_more(folder)
        if fitting:
            want(fitting[0])
            return False
        folder, held = registry.new_folder()
        try:
            want(folder)
            registry.write(folder, Record(kind="standby", fingerprint=wanted))
        except BaseException:
            os.close(held)
            registry.delete(folder)
            raise
    try:
        home = os.path.expanduser("~")
        pid = launch(folder, held, python=python, cwd=home, environment=environment, standby=True)
    except BaseException:
        registry.delete(folder)
        raise
    with registry.exclusive():
        record = registry.read(folder)
        if record is not None and record.kind == "standby" and record.process is None:
            # Written down by us: it says so itself only much later, and it may have to be killed before that.
            registry.write(folder, record.model_copy(update={"process": identify(pid)}))
    return True


async def release_standbys(registry: Registry) -> bool:
    """Want no standby any more; returns whether one was wanted. Those that nobody else wants end now."""
    released = False
    for folder, _ in standbys(registry):
        if want_no_more(folder):
            released = True
            # One that does not answer, or whose others are gone only a moment later, finds out by itself.
            with suppress(GPUClusterError):
                await ask_supervisor(folder, "POST", "/release", timeout=RELEASE_SECONDS)
    return released
