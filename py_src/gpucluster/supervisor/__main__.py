"""``python -P -m gpucluster.supervisor --folder PATH --lock-fd N --report-fd N``, from ``client.starting.launch``.

With ``--link-fd N`` instead, started by ``client.starting.early_supervisor``, it receives folder and lock later.

The order matters: detach; fork multiprocessing's resource tracker; import what workers need; fork the forkserver,
before there is any thread, log handler or secret; then import the rest.
"""

from __future__ import annotations

import argparse
import asyncio
import faulthandler
import gc
import json
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import traceback
from contextlib import suppress
from multiprocessing.util import get_temp_dir
from pathlib import Path
from typing import TYPE_CHECKING

from ..operating_system import LINUX
from ..operating_system.files import allow_many_files, read_own_file, remove_semaphores, semaphore_refusal
from ..operating_system.processes import birth
from ..protocol.plain_text import redact, route_all_loggers, start_log
from ..registry.replacement import replace_text
from ..sharing.turns import Turn, in_line
from .process.preloading import spare_where_many_share, start_resource_tracker

if TYPE_CHECKING:
    from .interface import Interface


STEP = "turn"
_LOOK_SECONDS = 0.1
_LONGEST_SECONDS = 1.0


def wait_for_turn(turn: Turn, folder: Path) -> None:
    """Return when the turn has come; until then the record shows the number of clusters ahead."""
    shown: int | None = None
    while not turn.has_come(before := turn.before()):
        if before != shown:
            shown = before
            _write_progress(folder / "state.json", in_line(before))
        # The longer the queue, the longer the wait.
        time.sleep(min(_LONGEST_SECONDS, _LOOK_SECONDS * (before - turn.at_a_time + 1)))
    if shown is not None:
        _write_progress(folder / "state.json", "Starting the cluster's process", step="launch")


def _write_progress(state: Path, message: str, step: str = STEP) -> None:
    # The next process reports a full disk.
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        record = json.loads(read_own_file(state))
        record["cluster"]["progress"] = {"step": step, "message": message, "done": None, "total": None}
        replace_text(state, json.dumps(record), mode=0o600)


_DETACHED = "--detached"


def _detach(report_fd: int, *kept_fds: int) -> None:
    """Continue in a grandchild of the caller, which receives its pid and has nothing to reap."""
    if LINUX:
        pid = os.fork()
    else:  # A child without a new program may not use everything that the system has.
        program = [sys.executable, "-P", "-m", "gpucluster.supervisor", *sys.argv[1:], _DETACHED]
        pid = subprocess.Popen(program, pass_fds=kept_fds, start_new_session=True).pid
    if pid:
        os.write(report_fd, f"{pid}\n".encode())
        os._exit(0)


def _begin_small() -> None:
    """Do what comes before anything large is imported."""
    spare_where_many_share()
    start_resource_tracker()


def _wait_for_folder(link_fd: int) -> tuple[Path, int, int | None]:
    """Import what every cluster needs, then wait for one; end if the process that started this one needs none."""
    from .process.preloading import FIRST, import_each

    _begin_small()
    import_each(FIRST)
    with socket.socket(fileno=link_fd) as link:
        folder, descriptors, _, _ = socket.recv_fds(link, 4096, 2)
    if not descriptors:
        os._exit(0)
    return Path(os.fsdecode(folder)), descriptors[0], descriptors[1] if len(descriptors) > 1 else None


def _note_process(folder: Path) -> None:
    """Record this process, as nothing large is imported yet, so that it can be killed if it hangs before its record."""
    with suppress(OSError):
        replace_text(folder / "process.json", json.dumps({"pid": os.getpid(), "birth": birth(os.getpid())}))


def _redirect(log: Path) -> None:
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.close(descriptor)
    os.close(null)


async def _serve(folder_path: Path, held: int, started: float, turn: Turn | None, *, standby: bool) -> None:
    from ..registry.record import read_secret
    from ..registry.store import Registry
    from .controller import Controller
    from .interface import Interface, Listener
    from .process.caller import apply_environment, enter
    from .process.process_tree import end_when_deleted
    from .process.standby import Standby

    registry = Registry(folder_path.parent)
    folder = registry.folder(folder_path.name)
    record, secret = registry.read(folder), read_secret(folder)
    if record is None:
        raise SystemExit(f"There is no record in {folder.path}.")
    if secret is None:
        raise SystemExit("Another version of gpucluster requested it. Install the same version in both environments.")
    redact(secret)
    waiting = Standby(registry, folder) if standby else None
    interface = Interface(secret, waiting)

    def terminate() -> None:
        if interface.controller is not None:
            interface.controller.requests.stop("Stopped by a signal.")
        elif waiting is not None:
            waiting.end()

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, terminate)

    def watch(listener: Listener) -> None:
        def look() -> None:
            # If this process is about to end, the loop is closed.
            if not listener.is_reachable():
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(listener.listen_again)

        end_when_deleted(folder, held, lambda: _scratch_outside(interface), look)

    directory = os.getcwd()
    # Listen at once, so that a start can be cancelled; a thread does the imports.
    if waiting is None:
        assert record.cluster is not None
        interface.controller = controller = Controller(registry, folder, record.cluster, turn)
        try:
            listener = Listener(interface, folder)
        except OSError as error:
            await controller.fail(error)
            return
        watch(listener)
        await asyncio.to_thread(_import_all)
        _collect_garbage()
    else:
        watch(Listener(interface, folder))
        waiting.watch()
        await asyncio.to_thread(_import_all)
        route_all_loggers()
        _collect_garbage()
        await asyncio.to_thread(waiting.note_ready)
        if not waiting.taken.done():
            logging.info("Standby is ready after %.1f s", time.monotonic() - started)
        controller, adoption = await waiting.taken
        apply_environment(adoption.environment)
        directory = adoption.cwd
    if (warning := enter(directory)) is not None:
        controller.warn(warning)
    controller.directory = directory
    route_all_loggers()
    model = await controller.run()
    logging.info("The cluster has ended: %s. %s", model.state.value, model.reason or "")


def _scratch_outside(interface: Interface) -> Path | None:
    if (controller := interface.controller) is None or (chosen := controller.spec.local_directory) is None:
        return None
    return controller.folder.scratch_in(chosen)


def _import_all() -> None:
    from .process.warmup import configure_dask, import_all

    configure_dask()
    import_all()


def _collect_garbage() -> None:
    """Enable garbage collection; what was imported so far is exempt."""
    gc.freeze()
    gc.enable()


def main() -> None:
    started = time.monotonic()
    parser = argparse.ArgumentParser(prog="python -m gpucluster.supervisor")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--lock-fd", type=int)
    parser.add_argument("--report-fd", type=int)
    parser.add_argument("--turn-fd", type=int)
    parser.add_argument("--link-fd", type=int)
    parser.add_argument("--standby", action="store_true")
    parser.add_argument(_DETACHED, action="store_true")
    options = parser.parse_args()
    gc.disable()  # Imports leave no garbage, but trigger many collections.
    if options.link_fd is not None:
        if not options.detached:
            _detach(options.link_fd, options.link_fd)
        options.folder, options.lock_fd, options.turn_fd = _wait_for_folder(options.link_fd)
    elif not options.detached:
        kept = [options.lock_fd] if options.turn_fd is None else [options.lock_fd, options.turn_fd]
        _detach(options.report_fd, *kept)
        os.close(options.report_fd)
    try:
        _run(options, started)
    except BaseException as error:
        _note_failure(options.folder, error)
        os._exit(1)
    # Not sys.exit: threads of distributed that linger must not keep the lock.
    os._exit(0)


def _run(options: argparse.Namespace, started: float) -> None:
    # Held until this process ends; workers must not inherit it.
    os.set_inheritable(options.lock_fd, False)
    _redirect(options.folder / "log")
    # For crashes without an exception, such as an illegal instruction.
    faulthandler.enable()
    os.register_at_fork(after_in_child=faulthandler.disable)
    _note_process(options.folder)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    allow_many_files()  # Each connection needs one, including those that are refused.
    turn: Turn | None = None
    if options.turn_fd is not None:
        os.set_inheritable(options.turn_fd, False)
        turn = Turn(socket.socket(fileno=options.turn_fd))  # As taken by the process that started this one.
        wait_for_turn(turn, options.folder)
    if options.link_fd is None:
        _begin_small()
    _refuse_unusable(options.folder)
    from ..backends.environment import take_directories, take_given
    from ..protocol.version import ADDED_VARIABLES
    from .process.process_tree import take_all_along
    from .process.warmup import keep_files_in, start_forkserver

    take_given()
    take_directories()
    take_all_along()
    keep_files_in(options.folder)
    start_forkserver()
    # What was added for libraries that are loaded now; workers get it from Dask.
    for name in os.environ.pop(ADDED_VARIABLES, "").split():
        os.environ.pop(name, None)
    start_log()
    try:
        asyncio.run(_serve(options.folder, options.lock_fd, started, turn, standby=options.standby))
    except Exception:
        logging.exception("The supervisor failed")
        raise
    finally:
        logging.shutdown()
        # The forkserver's folder: an exit that does not wait leaves it behind.
        shutil.rmtree(get_temp_dir(), ignore_errors=True)
        # The watchdog may have killed the process that would have removed them.
        remove_semaphores(options.folder.name)


def _refuse_unusable(folder: Path) -> None:
    """Check the folder's path, shared memory, and Dask's configuration before anything imports Dask."""
    from ..dask_internals.configuration import why_unreadable, wrong_settings
    from ..protocol.errors import PreflightFailed
    from ..protocol.refusals import path_refusal

    # Dask sends addresses of sockets as text.
    if (refusal := path_refusal(str(folder.parent))) is not None:
        raise PreflightFailed(f"{refusal} GPUCLUSTER_DIR names the directory of clusters.")
    if (refusal := semaphore_refusal()) is not None:
        raise PreflightFailed(refusal)
    try:
        import dask.config  # noqa: F401
    except Exception as error:
        raise PreflightFailed(why_unreadable(error)) from error
    if wrong := wrong_settings():
        raise PreflightFailed(" ".join(wrong))


def _note_failure(path: Path, error: BaseException) -> None:
    """Record why this process ends where no controller has."""
    from ..protocol.errors import GPUClusterError

    if isinstance(error, GPUClusterError | SystemExit):
        sys.stderr.write(f"{error}\n")
    elif not logging.getLogger().handlers:  # Otherwise the log has it.
        traceback.print_exception(error)
    with suppress(Exception):
        from ..protocol.refusals import folder_of, storage_refusal
        from ..registry.ending import LOG_TAIL_LINES, tail
        from ..registry.store import Registry

        # The directory itself may be refused.
        registry = Registry(path.parent, later=True, proved=True)
        folder = registry.folder(path.name)
        record = registry.read(folder)
        if record is None or record.cluster is None or record.cluster.state.ended:
            return
        if isinstance(error, GPUClusterError):
            reason: str | None = error.message
        else:
            reason = storage_refusal(error, folder_of(error, path.parent)) if isinstance(error, Exception) else None
        text = " ".join(str(error).split()).rstrip(".")
        kind = "" if isinstance(error, SystemExit) else f"{type(error).__name__}: "
        reason = reason or f"The cluster's process failed: {kind}{text[:500]}."
        registry.write_failure(folder, record, reason, tail(folder.log, LOG_TAIL_LINES))


if __name__ == "__main__":
    main()
