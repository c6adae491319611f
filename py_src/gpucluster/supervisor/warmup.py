"""Start the forkserver with the environment that workers need before their first import."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing import forkserver, util
from typing import Any

from ..dask_internals.listening import import_web_pages
from ..dask_internals.nannies import keep_own_forkserver
from ..operating_system import LINUX
from ..operating_system.descriptors import PLACE, address_of_folder, without_name

PRE_SPAWN_ENVIRONMENT: Mapping[str, str] = {
    # What distributed's nanny sets before it spawns a worker (distributed.nanny.pre-spawn-environ). Children of
    # a forkserver do not see it: libraries read these when they are loaded, and that has happened by then.
    "MALLOC_TRIM_THRESHOLD_": "65536",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    # One seed for all workers, so that they agree on the hashes of strings (dask/distributed#8400).
    "PYTHONHASHSEED": "6640",
}


FORKED = LINUX
"""Whether workers are forked. Elsewhere (macOS) system libraries fail in a child that goes on without a new program."""
_LOOKED_FOR_LATE = ("gilknocker",)
"""Optional packages that distributed tries to import not before a scheduler is made."""


@contextmanager
def _environment(extra: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    for name, value in extra.items():
        os.environ.setdefault(name, value)
    if os.environ["PYTHONHASHSEED"] == "random":
        os.environ["PYTHONHASHSEED"] = extra["PYTHONHASHSEED"]
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def start_forkserver() -> None:
    """Start the process that workers are forked from.

    Returns at once: the server imports its modules while this process imports its own. Call it from the
    main thread, which lives as long as the process: the kernel ties the server's life to the thread that
    started it. Where workers are not forked, nothing happens.
    """
    if not FORKED:
        return
    # The server's socket is a file in a private folder, never an abstract address that other users can reach
    # (CVE-2022-42919 in Python 3.11.0).
    util.abstract_sockets_supported = False  # type: ignore[misc]  # Final, but read at each call
    # Also for a server that is started anew because this one has died.
    setattr(forkserver.ForkServer, "ensure_running", _ensure_unreachable)  # noqa: B010  # the type checker forbids it
    # '__main__' is not preloaded: workers do not need the supervisor's own code.
    forkserver.set_forkserver_preload(["gpucluster.supervisor.forked"])
    with _environment(PRE_SPAWN_ENVIRONMENT):
        _ensure_unreachable(forkserver._forkserver)


_ensure_running = forkserver.ForkServer.ensure_running
_one_at_a_time = threading.Lock()
"""Each worker is started from a thread of its own; the name of the folder belongs to the whole process."""


def _ensure_unreachable(server: Any) -> None:
    """Start the forkserver if it does not run, and let nobody but this process reach it.

    Before Python 3.14 it asks for no secret and unpickles what it is sent, so whoever connects can run code: also a
    process of the same user that was locked in, as a submission that is graded. Its socket loses its name as soon as it
    has one; this process goes on by the descriptor, which no process that may not trace this one can use.
    """
    with _one_at_a_time, _sockets_below_a_descriptor():
        before = server._forkserver_address
        _ensure_running(server)
        path = server._forkserver_address
        if path != before:
            server._forkserver_address = without_name(path)


@contextmanager
def _sockets_below_a_descriptor() -> Iterator[None]:
    """Let multiprocessing reach its folder by a descriptor: where TMPDIR is long, a path is too long for a socket."""
    config: dict[str, Any] = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    folder = util.get_temp_dir()
    descriptor = os.open(folder, PLACE | os.O_DIRECTORY)
    config["tempdir"] = address_of_folder(descriptor)
    try:
        yield
    finally:
        config["tempdir"] = folder
        os.close(descriptor)


def configure_dask() -> None:
    """Set Dask's configuration for this process and its workers. Imports distributed."""
    import dask

    from ..backends.dashboard import ROUTES_LEFT_OUT
    from .wakeups import reduce_wakeups

    reduce_wakeups()
    keep_own_forkserver()
    routes = [route for route in dask.config.get("distributed.scheduler.http.routes") if route not in ROUTES_LEFT_OUT]
    dask.config.set(
        {
            "distributed.worker.multiprocessing-method": "forkserver" if FORKED else "spawn",
            "distributed.scheduler.http.routes": routes,
            # A worker's own web server has no log-in: it serves nothing.
            "distributed.worker.http.routes": [],
        }
    )


def import_all() -> None:
    """Import what a cluster needs sooner or later, so that the scheduler never stalls on an import.

    Afterwards modules may come from the directory of whoever asked for the cluster. What a library looks for in vain
    must not be found there.
    """
    from ..backends import spec_deployment  # noqa: F401

    import_web_pages()

    for name in _LOOKED_FOR_LATE:
        if find_spec(name) is None:
            sys.modules[name] = None  # type: ignore[assignment]  # Python's way to say: there is none


def wait_for_forkserver() -> None:
    """Return when the forkserver, if there is one, has imported its modules: it answers only then."""
    if not FORKED:
        return
    process = multiprocessing.get_context("forkserver").Process(target=os.getpid)
    process.start()
    process.join()
