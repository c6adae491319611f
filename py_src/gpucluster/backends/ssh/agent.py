"""What runs on each host: it starts the workers there, and ends them when nobody wants them any more.

Its source is sent through SSH to a Python that need not have gpucluster, so it imports the standard library, Dask and
what Dask needs only; ``remote_gpus``, whose source comes with the first line, is the part about GPUs. It receives
everything on its standard input, as lines of JSON, and tells what happens on its standard output in the same way. When
the input ends, or nothing has come for a minute, everything here ends: whoever wanted it is gone.
"""

from __future__ import annotations

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
from types import ModuleType
from typing import Any

SILENCE_SECONDS = 60.0
CLOSE_SECONDS = 1.0  # A worker that was taken out of the cluster holds nothing; what hangs at its end is killed.
LONGEST_FOLDER = 70  # Of a socket: its whole path may have 107 characters.
LINUX = sys.platform == "linux"


class Voice:
    """Tells what happens. What workers print goes to the error stream, which is read as well."""

    def __init__(self) -> None:
        self._out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)

    def tell(self, event: str, **facts: Any) -> None:
        with suppress(OSError, ValueError):  # Nobody listens any more: the input will say so.
            self._out.write(json.dumps({"event": event, **facts}) + "\n")
            self._out.flush()


# -- this host -------------------------------------------------------------------------------------


def facts(gpus: Any, modules: list[str]) -> dict[str, Any]:
    """Return what there is here, and which of these modules are not."""
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
    """Make a folder that nobody else can enter; one of this name that an agent before has left is removed."""
    top = directory if directory is not None else tempfile.gettempdir()
    os.makedirs(top, mode=0o700, exist_ok=True)
    path = os.path.join(top, name)
    with suppress(FileNotFoundError):
        found = os.lstat(path)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            return tempfile.mkdtemp(prefix=f"{name}-", dir=top)  # Somebody else was faster.
        shutil.rmtree(path, ignore_errors=True)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        return tempfile.mkdtemp(prefix=f"{name}-", dir=top)
    return path


def import_from(directory: str, working: str) -> None:
    """Import modules from there, too, if that directory is here, and they are nowhere else.

    Not where everybody may write: there, an optional package that Dask looks for could be anybody's. Nor from what is
    another user's on this host, unless it is the directory where one works.
    """
    with suppress(OSError):
        if directory != working and os.stat(directory).st_uid not in {0, os.getuid()}:
            return
        place = os.path.realpath(directory)
        everybodys, above = os.stat(place).st_mode & stat.S_IWOTH, os.path.dirname(place)
        while not everybodys and above != place:
            place, above = above, os.path.dirname(above)
            mode = os.stat(place).st_mode
            everybodys = mode & stat.S_IWOTH and not mode & stat.S_ISVTX
        if not everybodys and os.path.isdir(directory) and directory not in sys.path:
            sys.path.append(directory)


# -- forking workers -------------------------------------------------------------------------------


def fork_workers(scratch: str) -> None:
    """Let workers be forked from a copy of this process, which has imported Dask. Call it before there are threads."""
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

    def __init__(self, voice: Voice, told: dict[str, Any], scratch: str, gpus: Any) -> None:
        from distributed.security import Security

        self._voice = voice
        self._scratch = scratch
        self._gpus = gpus
        self._security = Security(**told["security"]) if told["security"] else None
        self._protocol = told["protocol"]
        self._nannies: dict[Any, Any] = {}
        self._starting: dict[Any, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.heard = time.monotonic()

    def obey(self, line: bytes) -> None:
        self.heard = time.monotonic()
        told = json.loads(line)
        what = told.pop("do")
        if what == "start":
            self._starting[told["name"]] = self._go_on(self._start(**told))
        elif what == "stop":
            self._go_on(self._stop(told["name"]))

    def _go_on(self, work: Any) -> asyncio.Task[None]:
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
            make = Nanny if device is None else self._gpus.worker_on(device, gpu)
            nanny = make(scheduler, **options)
            await asyncio.wait_for(nanny, timeout)
            if nanny.status.name == "failed":
                raise RuntimeError("the worker ended during its start")
        except BaseException as error:
            self._starting.pop(name, None)
            self._voice.tell("failed", name=name, why=_cause(error))
            if nanny is not None:
                await _close(nanny)
            if isinstance(error, asyncio.CancelledError):
                raise
            return
        self._starting.pop(name, None)
        self._nannies[name] = nanny
        self._voice.tell("started", name=name, address=nanny.worker_address)
        self._go_on(self._watch(name, nanny))

    async def _watch(self, name: Any, nanny: Any) -> None:
        await nanny.finished()
        if self._nannies.get(name) is nanny:
            del self._nannies[name]
        self._voice.tell("gone", name=name)

    async def _stop(self, name: Any) -> None:
        starting = self._starting.get(name)
        if starting is not None:
            starting.cancel()
            await asyncio.wait({starting})
        nanny = self._nannies.get(name)
        if nanny is None:
            self._voice.tell("gone", name=name)
            return
        await _close(nanny)


async def _close(nanny: Any) -> None:
    process: Any = getattr(getattr(nanny, "process", None), "process", None)
    try:
        await asyncio.wait_for(nanny.close(timeout=CLOSE_SECONDS), 3 * CLOSE_SECONDS)
    except Exception:
        with suppress(Exception):
            await process.kill()


def _address_towards(scheduler: str) -> str:
    """Return the address of this host by which it reaches the scheduler, so that others reach the worker by it."""
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
    over = asyncio.Event()

    def read() -> None:
        with suppress(Exception):
            for line in sys.stdin.buffer:
                loop.call_soon_threadsafe(agent.obey, line)
        # At once, whatever the event loop does just then.
        end(scratch)

    threading.Thread(target=read, daemon=True).start()
    while not over.is_set() and time.monotonic() - agent.heard < SILENCE_SECONDS:
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(over.wait(), 1)
    end(scratch)


def serve_no_pages(worker: Any, *_: Any) -> None:
    """Stand in for a worker's web server, which has no log-in."""
    worker.http_server = None


def adopt_orphans() -> None:
    """Let what tasks have started come to this process when its parent ends, so that it ends here, too."""
    if LINUX:
        import ctypes

        with suppress(Exception):
            ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def received(source: str) -> ModuleType:
    module = ModuleType("gpucluster_remote_gpus")
    exec(compile(source, module.__name__, "exec"), vars(module))  # noqa: S102  # ours, as this very file
    sys.modules[module.__name__] = module
    return module


def main() -> None:
    voice = Voice()
    scratch = None
    try:
        told = json.loads(sys.stdin.buffer.readline())
        os.environ.update(told["environment"])
        gpus: Any = received(told.pop("gpus_source")) if told["use_gpus"] else None
        known = facts(gpus, told["modules"])
        voice.tell("hello", **known)
        adopt_orphans()
        with suppress(OSError):  # Where the cluster was asked for, if that directory is here, too.
            os.chdir(told["directory"])
        scratch = make_scratch(told["scratch_name"], told["local_directory"])
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
                **told["config"],
                "temporary-directory": scratch,
                "distributed.worker.multiprocessing-method": "forkserver" if LINUX else "spawn",
                "distributed.worker.http.routes": [],
            }
        )
        distributed.utils._forkserver_preload_set = True
        distributed.Worker.start_http_server = serve_no_pages  # type: ignore[method-assign]
        get_versions()
        for directory in told["import_from"]:  # When all is imported that is to come from nowhere else.
            import_from(directory, told["directory"])
        if known["gpus"]:
            os.environ |= {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "RAPIDS_NO_INITIALIZE": "True"}
        fork_workers(scratch)
        if known["gpus"]:
            gpus.prepare()
    except BaseException as error:
        voice.tell("broken", why=_cause(error))
        end(scratch)
    voice.tell("ready")
    assert scratch is not None
    asyncio.run(serve(Agent(voice, told, scratch, gpus), scratch))


if __name__ == "__main__":
    main()
