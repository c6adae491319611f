"""Start the forkserver, do in advance what a cluster's start needs, and reduce the wakeups of an idle supervisor.

distributed wakes up for each server, and every worker's nanny is one: 50 times a second to check the event loop's
latency, ten times to measure the worker's memory, twice to measure this process and this host. All servers here share
one process, one event loop and one host, so once is enough. With eight workers this is most of what an idle supervisor
does. The rest is heartbeats: workers send fewer while no one watches and nothing is computed.
"""

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import forkserver, resource_tracker, util
from pathlib import Path
from typing import Any

from ...dask_internals import periodic_callbacks
from ...dask_internals.array_imports import import_arrays_without_scipy, remember_versions
from ...dask_internals.messages import keep_no_sent_messages
from ...dask_internals.workers.nannies import keep_own_forkserver, look_for_workers_every
from ...operating_system import LINUX
from ...operating_system.files import FOLDER, PLACE, address_of_folder, semaphore_prefix, without_name
from .preloading import FIRST, RAPIDS_SIGNAL, copies_instead_of_programs, import_each, rapids_wanted

WORKER_UP_SECONDS = 0.005  # How often a nanny looks whether its worker is up; distributed: 0.05.
EVENTS_KEPT = "10 minutes"  # Of what a scheduler noted about a worker or client that has gone; distributed: an hour.
LINES_KEPT = 1_000  # Lines of its log that a scheduler keeps for ``get_logs``; distributed: 10,000, about 12 MB.
FORKED = LINUX  # Elsewhere (macOS) system libraries fail in a forked child, so workers are not forked.
LONGEST_FOLDER = 80  # Bytes in the path of a folder with room for sockets, as of a ``multiprocessing.Manager``.
_first_server: list[int | None] = []
_LOOKED_FOR_LATE = ("gilknocker",)  # Optional packages that distributed tries to import when a scheduler is made.


def keep_files_in(folder: Path) -> None:
    """Keep multiprocessing's files in a cluster's folder, its semaphores under its name: if killed, it leaves both."""
    config: dict[str, Any] = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    config["semprefix"] = f"/{semaphore_prefix(folder.name)}"
    place = folder / FOLDER
    if len(os.fsencode(place)) <= LONGEST_FOLDER:
        place.mkdir(mode=0o700, exist_ok=True)
        config["tempdir"] = str(place)


def start_forkserver() -> None:
    """Import what a worker needs to start, and start the forkserver as a copy of this process, with shared memory.

    Call it from the main thread, before there is any other: the kernel ties the server's life to the thread that
    started it, and a copy has one thread only. Does nothing where workers are not forked.
    """
    if not FORKED:
        return
    # The server's socket is a file in a private folder, never an abstract address that other users can reach
    # (CVE-2022-42919 in Python 3.11.0).
    util.abstract_sockets_supported = False  # type: ignore[misc]  # Final, but read at each call
    server = forkserver._forkserver
    # Also for a server that is restarted because this one has died.
    setattr(server, "ensure_running", partial(_ensure_unreachable, server))  # noqa: B010  # the type checker forbids it
    # Without '__main__': workers do not need the supervisor's own code.
    forkserver.set_forkserver_preload(["gpucluster.supervisor.process.fork_server"])
    import_each(FIRST)
    remember_versions()
    gc.freeze()  # Garbage collection would touch, and so copy, the shared pages.
    # Until the server unblocks it, the signal would end the server.
    signal.pthread_sigmask(signal.SIG_BLOCK, {RAPIDS_SIGNAL})
    with copies_instead_of_programs():
        _ensure_unreachable(server)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {RAPIDS_SIGNAL})
    _first_server.append(_pid_of(server))


def ask_for_rapids() -> None:
    """Let the forkserver import RAPIDS, where installed, before it forks the next worker.

    Returns at once; requests for workers wait. A restarted server is not notified, as it may not handle the signal yet.
    """
    pid = _pid_of(forkserver._forkserver)
    if pid is not None and pid in _first_server and rapids_wanted():
        with suppress(ProcessLookupError):
            os.kill(pid, RAPIDS_SIGNAL)


def multiprocessing_helpers() -> tuple[int | None, ...]:
    """Return multiprocessing's helper processes, which are waited for when they are needed the next time."""
    return _pid_of(forkserver._forkserver), resource_tracker._resource_tracker._pid  # type: ignore[attr-defined]


def _pid_of(server: Any) -> int | None:
    pid: int | None = server._forkserver_pid
    return pid


_ensure_running = forkserver.ForkServer.ensure_running
_one_at_a_time = threading.Lock()  # Several threads start workers, and the folder's name is the whole process's.


def _ensure_unreachable(server: Any) -> None:
    """Start the forkserver if it does not run, reachable by this process only.

    Before Python 3.14 it requires no secret and unpickles what it receives, so anything that connects can run code,
    including a locked-in process of the same user, such as a submission that is graded. Its socket loses its name at
    once; this process continues by the descriptor, which no process that may not trace this one can use.
    """
    with _one_at_a_time, _sockets_below_a_descriptor():
        before = server._forkserver_address
        _ensure_running(server)
        path = server._forkserver_address
        if path != before:
            server._forkserver_address = without_name(path)


@contextmanager
def _sockets_below_a_descriptor() -> Iterator[None]:
    """Let multiprocessing reach its folder by a descriptor: with a long TMPDIR the path is too long for a socket."""
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

    from ...backends.dashboard import ROUTES_LEFT_OUT
    from ...backends.workers import FIRST_PRELOADS

    reduce_wakeups()
    keep_own_forkserver()
    keep_no_sent_messages()
    import_arrays_without_scipy()
    look_for_workers_every(WORKER_UP_SECONDS)
    if dask.config.get("distributed.scheduler.events-cleanup-delay") == "1h":
        # An asyncio task waits this long for each worker and client that has gone.
        dask.config.set({"distributed.scheduler.events-cleanup-delay": EVENTS_KEPT})
    if dask.config.get("distributed.admin.log-length") == 10_000:
        # The cluster's log, which is bounded as well, has all of it.
        dask.config.set({"distributed.admin.log-length": LINES_KEPT})
    preload = dask.config.get("distributed.worker.preload")
    routes = [route for route in dask.config.get("distributed.scheduler.http.routes") if route not in ROUTES_LEFT_OUT]
    dask.config.set(
        {
            "distributed.worker.multiprocessing-method": "forkserver" if FORKED else "spawn",
            "distributed.scheduler.http.routes": routes,
            # A worker's own web server has no login, so it serves nothing.
            "distributed.worker.http.routes": [],
            "distributed.worker.preload": [*FIRST_PRELOADS, *([preload] if isinstance(preload, str) else preload)],
        }
    )


def import_all() -> None:
    """Import what a cluster needs to start, so that the scheduler does not stall on an import.

    Afterwards modules may come from the requester's directory, where missing optional packages must not be found.
    """
    import dask

    from ...backends import spec_deployment  # noqa: F401

    for module in dask.config.get("distributed.scheduler.http.routes"):
        import_module(module)
    for name in _LOOKED_FOR_LATE:
        if find_spec(name) is None:
            sys.modules[name] = None  # type: ignore[assignment]  # Makes imports of it fail.


PROFILE_INTERVAL = "50ms"  # At which a worker samples its threads; distributed: every 10 ms, for 1 to 2 % of a core.
TICK_INTERVAL = "1s"  # How often the latency of event loops is checked; they complain from three seconds on.
SHORTEST_HEARTBEAT_SECONDS = 1.0  # distributed: half a second for up to ten workers, more from one second on.
RESTING_HEARTBEAT_SECONDS = 3.0  # While the cluster is neither watched nor used: distributed's value for 400 workers.
MEMORY_SECONDS_WHEN_EMPTY = 0.5  # At which a nanny checks a worker that uses less than half; above: as configured.
MEMORY_SECONDS_WHEN_RESTING = 2.0
SCHEDULER_SECONDS = {"monitor": 2.0, "ticks": 5.0, "idle-timeout": 5.0, "no-workers-timeout": 5.0}
"""The last two do nothing until a timeout is configured, four times a second."""
NOT_FOR_NANNIES = ("monitor", "tick", "ticks", "shift_counters")  # The last: of counters that nothing reads.
_rests = False


def rest(resting: bool) -> None:
    """Set whether the cluster of this process is neither watched nor used."""
    global _rests
    _rests = resting


def heartbeat_seconds() -> float:
    return RESTING_HEARTBEAT_SECONDS if _rests else SHORTEST_HEARTBEAT_SECONDS


def reduce_wakeups() -> None:
    """Change distributed in this process, and its configuration, which workers inherit. Once is enough."""
    import dask

    periodic_callbacks.set_shortest_heartbeat(heartbeat_seconds)
    # After the import of distributed, which sets defaults. What a site has chosen stays.
    if dask.config.get("distributed.admin.tick.interval") == "20ms":
        dask.config.set({"distributed.admin.tick.interval": TICK_INTERVAL})
    if dask.config.get("distributed.worker.profile.interval") == "10ms":
        dask.config.set({"distributed.worker.profile.interval": PROFILE_INTERVAL})
    periodic_callbacks.leave_out_for_nannies(NOT_FOR_NANNIES)
    periodic_callbacks.slow_down_schedulers(SCHEDULER_SECONDS)
    empty, resting = MEMORY_SECONDS_WHEN_EMPTY, MEMORY_SECONDS_WHEN_RESTING
    periodic_callbacks.watch_small_workers_less(lambda: resting if _rests else empty)
