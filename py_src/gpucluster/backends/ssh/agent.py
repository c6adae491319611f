"""The program on each host that starts and ends the workers there.

Its source is sent through SSH to a Python that need not have gpucluster, so it imports only the standard library, Dask
and Dask's dependencies; ``remote_gpus``, whose source comes with the first line, is the part about GPUs. It reads lines
of JSON from its standard input and writes events to its standard output in the same way. When the input ends, or
nothing has come for a minute, everything here ends because the supervisor is gone.
"""

import asyncio
import importlib.metadata
import json
import os
import platform
import shutil
import stat
import sys
import tempfile
import threading
import time
from contextlib import suppress
from functools import partial
from types import ModuleType
from typing import Any

SILENCE_SECONDS = 60.0
CLOSE_SECONDS = 1.0  # A worker that was taken out of the cluster holds nothing; what hangs at its end is killed.
LONGEST_FOLDER = 70  # Of a socket: its whole path may have 107 characters.
LINUX = sys.platform == "linux"


class EventWriter:
    """Writes events. The workers' output goes to the error stream, which is read as well."""

    def __init__(self) -> None:
        self._out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)

    def write(self, event: str, **facts: Any) -> None:
        with suppress(OSError, ValueError):  # If the supervisor is gone, the input ends as well.
            self._out.write(json.dumps({"event": event, **facts}) + "\n")
            self._out.flush()


# -- this host -------------------------------------------------------------------------------------


def facts(gpus: Any, modules: list[str]) -> dict[str, Any]:
    """Describe this host, and name those of the modules that it lacks."""
    return {
        "python": platform.python_version(),
        "executable": sys.executable,
        "distributed": _version("distributed"),
        "gpucluster": _version("gpucluster"),
        "host": platform.node(),
        "pid": os.getpid(),
        "cores": len(os.sched_getaffinity(0)) if LINUX else os.cpu_count() or 1,
        "memory_bytes": _memory_bytes(),
        "dask_cuda": _version("dask-cuda"),
        "gpus": gpus.gpus() if gpus is not None else [],
        "missing": gpus.missing(modules) if gpus is not None else [],
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _memory_bytes() -> int:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError), open(path, encoding="ascii") as file:
            total = min(total, int(file.read()))
    return total


def make_scratch(name: str, directory: str | None) -> str:
    """Make a private folder; one of this name that an earlier agent left is removed."""
    top = directory if directory is not None else tempfile.gettempdir()
    os.makedirs(top, mode=0o700, exist_ok=True)
    path = os.path.join(top, name)
    with suppress(FileNotFoundError):
        found = os.lstat(path)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            return tempfile.mkdtemp(prefix=f"{name}-", dir=top)  # Another user has taken the name.
        shutil.rmtree(path, ignore_errors=True)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        return tempfile.mkdtemp(prefix=f"{name}-", dir=top)
    return path


def import_from(directory: str, working: str) -> None:
    """Import modules also from a directory, if it exists here and they are nowhere else.

    Not if every user may write to it: any of them could put an optional package there that Dask looks for. Nor if it
    belongs to another user, unless it is the working directory.
    """
    with suppress(OSError):
        if directory != working and os.stat(directory).st_uid not in {0, os.getuid()}:
            return
        place = os.path.realpath(directory)
        is_open, above = os.stat(place).st_mode & stat.S_IWOTH, os.path.dirname(place)
        while not is_open and above != place:
            place, above = above, os.path.dirname(above)
            mode = os.stat(place).st_mode
            is_open = mode & stat.S_IWOTH and not mode & stat.S_ISVTX
        if not is_open and os.path.isdir(directory) and directory not in sys.path:
            sys.path.append(directory)


# -- forking workers -------------------------------------------------------------------------------


def fork_workers(scratch: str) -> None:
    """Fork workers from a copy of this process, which has imported Dask. Call it before there are threads."""
    if not LINUX:
        return
    from multiprocessing import forkserver, process, resource_tracker, util

    helpers: tuple[Any, ...] = (forkserver._forkserver, resource_tracker._resource_tracker)

    def copy(_: str, arguments: Any, descriptors: Any) -> int:
        pid = os.fork()
        if pid:
            return pid
        try:
            kept = sorted({1, 2, *descriptors})
            null = os.open(os.devnull, os.O_RDONLY)
            os.dup2(null, 0)
            last = 0
            for descriptor in [*kept, os.sysconf("SC_OPEN_MAX")]:
                os.closerange(last + 1, descriptor)
                last = descriptor
            for helper in helpers:
                vars(helper).clear()
                vars(helper).update(vars(type(helper)()))
            sys.modules["__main__"] = main = ModuleType("__main__")
            exec(arguments[-1], vars(main))  # noqa: S102  # the code is multiprocessing's
        finally:
            os._exit(0)

    # A socket in a private folder, never an abstract address, which other users could reach (CVE-2022-42919).
    util.abstract_sockets_supported = False  # type: ignore[misc]
    folder = os.path.join(scratch, "m")
    if len(folder) < LONGEST_FOLDER:
        os.mkdir(folder, 0o700)
        process.current_process()._config["tempdir"] = folder  # type: ignore[attr-defined]
    usual = util.spawnv_passfds
    setattr(util, "spawnv_passfds", copy)  # noqa: B010
    try:
        forkserver.set_forkserver_preload([])
        forkserver.ensure_running()
    finally:
        setattr(util, "spawnv_passfds", usual)  # noqa: B010


# -- workers ---------------------------------------------------------------------------------------


class Agent:
    """Starts and ends the workers of one cluster on this host."""

    def __init__(self, events: EventWriter, settings: dict[str, Any], scratch: str, gpus: Any) -> None:
        from distributed.security import Security

        self._events = events
        self._scratch = scratch
        self._gpus = gpus
        self._security = Security(**settings["security"]) if settings["security"] else None
        self._protocol = settings["protocol"]
        self._nannies: dict[Any, Any] = {}
        self._starting: dict[Any, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.heard = time.monotonic()

    def execute(self, line: bytes) -> None:
        self.heard = time.monotonic()
        command = json.loads(line)
        verb = command.pop("do")
        if verb == "start":
            self._starting[command["name"]] = self._begin(self._start(**command))
        elif verb == "stop":
            self._begin(self._stop(command["name"]))

    def _begin(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _start(
        self,
        name: Any,
        scheduler: str,
        options: dict[str, Any],
        device: str | None,
        gpu: dict[str, Any],
        timeout: float,
    ) -> None:
        from distributed import Nanny

        nanny: Any = None
        try:
            options |= {
                "name": name,
                "host": _address_towards(scheduler),
                "protocol": f"{self._protocol}://",
                "security": self._security,
                "local_directory": self._scratch,
                "silence_logs": None,
            }
            make = Nanny if device is None else partial(self._gpus.make_nanny, device, gpu)
            nanny = make(scheduler, **options)
            await asyncio.wait_for(nanny, timeout)
            if nanny.status.name == "failed":
                raise RuntimeError("the worker exited during startup")
        except BaseException as error:
            self._starting.pop(name, None)
            self._events.write("failed", name=name, why=_cause(error))
            if nanny is not None:
                await _close(nanny)
            if isinstance(error, asyncio.CancelledError):
                raise
            return
        self._starting.pop(name, None)
        self._nannies[name] = nanny
        self._events.write("started", name=name, address=nanny.worker_address)
        self._begin(self._watch(name, nanny))

    async def _watch(self, name: Any, nanny: Any) -> None:
        await nanny.finished()
        if self._nannies.get(name) is nanny:
            del self._nannies[name]
        self._events.write("gone", name=name)

    async def _stop(self, name: Any) -> None:
        starting = self._starting.get(name)
        if starting is not None:
            starting.cancel()
            await asyncio.wait({starting})
        nanny = self._nannies.get(name)
        if nanny is None:
            self._events.write("gone", name=name)
        else:
            await _close(nanny)


async def _close(nanny: Any) -> None:
    process: Any = getattr(getattr(nanny, "process", None), "process", None)
    try:
        await asyncio.wait_for(nanny.close(timeout=CLOSE_SECONDS), 3 * CLOSE_SECONDS)
    except Exception:
        with suppress(Exception):
            await process.kill()


def _address_towards(scheduler: str) -> str:
    """Return this host's address towards the scheduler, by which others reach the worker."""
    import socket

    host, _, port = scheduler.partition("://")[2].rpartition(":")
    host = host.strip("[]")
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((host, int(port)))
        return str(probe.getsockname()[0])


def _cause(error: BaseException) -> str:
    while error.__cause__ is not None and not isinstance(error.__cause__, asyncio.CancelledError):
        error = error.__cause__
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"the module '{error.name}' is not installed there"
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:300]}" if text else type(error).__name__


# -- life ------------------------------------------------------------------------------------------


def end(scratch: str | None) -> None:
    with suppress(Exception):
        import psutil

        for _ in range(100):
            below = [child for child in psutil.Process().children(recursive=True) if child.status() != "zombie"]
            for child in below:
                with suppress(psutil.Error):
                    child.kill()
            if not below:
                break
            time.sleep(0.02)
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
    if scratch is not None:
        shutil.rmtree(scratch, ignore_errors=True)
    with suppress(Exception):
        from multiprocessing import process

        if (folder := process.current_process()._config.get("tempdir")) is not None:  # type: ignore[attr-defined]
            shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


async def serve(agent: Agent, scratch: str) -> None:
    loop = asyncio.get_running_loop()

    def read() -> None:
        with suppress(Exception):
            for line in sys.stdin.buffer:
                loop.call_soon_threadsafe(agent.execute, line)
        # At once, without the event loop, which may be busy.
        end(scratch)

    threading.Thread(target=read, daemon=True).start()
    while time.monotonic() - agent.heard < SILENCE_SECONDS:  # noqa: ASYNC110  # the agent notes each message
        await asyncio.sleep(1)
    end(scratch)


def serve_no_pages(worker: Any, *_: Any) -> None:
    """Replace a worker's web server, which has no login."""
    worker.http_server = None


def adopt_orphans() -> None:
    """Become the parent of orphaned processes that tasks have started, so that they end with this one."""
    if LINUX:
        import ctypes

        with suppress(Exception):
            ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def module_from(source: str) -> ModuleType:
    module = ModuleType("gpucluster_remote_gpus")
    exec(compile(source, module.__name__, "exec"), vars(module))  # noqa: S102  # ours, as this very file
    sys.modules[module.__name__] = module
    return module


def main() -> None:
    events = EventWriter()
    scratch = None
    try:
        settings = json.loads(sys.stdin.buffer.readline())
        os.environ.update(settings["environment"])
        gpus: Any = module_from(settings.pop("gpus_source")) if settings["use_gpus"] else None
        known = facts(gpus, settings["modules"])
        events.write("hello", **known)
        adopt_orphans()
        with suppress(OSError):  # The directory in which the cluster was requested may exist here, too.
            os.chdir(settings["directory"])
        scratch = make_scratch(settings["scratch_name"], settings["local_directory"])
        import dask

        # The reader adds time and host.
        dask.config.set({"distributed.admin.log-format": "%(levelname)-7s %(name)s  %(message)s"})
        import distributed
        import distributed.comm.tcp
        import distributed.nanny
        import distributed.worker
        from distributed.versions import get_versions

        dask.config.set(
            {
                **settings["config"],
                "temporary-directory": scratch,
                "distributed.worker.multiprocessing-method": "forkserver" if LINUX else "spawn",
                "distributed.worker.http.routes": [],
            }
        )
        distributed.utils._forkserver_preload_set = True
        distributed.Worker.start_http_server = serve_no_pages  # type: ignore[method-assign]
        get_versions()
        for directory in settings["import_from"]:  # After everything that must come from the environment.
            import_from(directory, settings["directory"])
        if known["gpus"]:
            os.environ |= {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "RAPIDS_NO_INITIALIZE": "True"}
        fork_workers(scratch)
        if known["gpus"]:
            gpus.prepare()
    except BaseException as error:
        events.write("broken", why=_cause(error))
        end(scratch)
    events.write("ready")
    assert scratch is not None
    asyncio.run(serve(Agent(events, settings, scratch, gpus), scratch))


if __name__ == "__main__":
    main()
