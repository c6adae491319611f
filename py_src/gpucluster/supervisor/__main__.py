"""``python -m gpucluster.supervisor --folder PATH --lock-fd N --report-fd N``: started by ``client.launch``.

The order matters: detach, start the forkserver (it imports on another core while we import here), then
import Dask.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import resource
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.util import get_temp_dir
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..protocol.plaintext import escaped

if TYPE_CHECKING:
    from .interface import Interface
    from .owner import Owner

STANDBY_LIFETIME_SECONDS = 3600.0
"""A standby that nobody uses or releases ends by itself."""


def _detach(report_fd: int) -> None:
    """Continue in a grandchild of the caller, which is told its pid and has nothing to reap."""
    pid = os.fork()
    if pid:
        os.write(report_fd, f"{pid}\n".encode())
        os._exit(0)
    os.close(report_fd)


def _redirect(log: Path) -> None:
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.close(descriptor)
    os.close(null)


class _Redaction(logging.Formatter):
    """Keeps secrets out of the log, and whatever would command a terminal; tracebacks included."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s  %(message)s")
        self.secrets: list[str] = []

    def formatMessage(self, record: logging.LogRecord) -> str:  # logging's name
        if record.name.startswith("gpucluster"):
            record.message = escaped(record.message)  # One line: nothing in it looks like the next one.
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        line = escaped(super().format(record), keep="\n\t")
        for secret in self.secrets:
            line = line.replace(secret, "…")
        return line


class _Brake(logging.Filter):
    """Lets a message that comes again and again through only now and then: somebody else may be causing it."""

    AT_MOST = 50
    PER_SECONDS = 10.0

    def __init__(self) -> None:
        super().__init__()
        self._since = 0.0
        self._counts: Counter[tuple[str, int, str]] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.created - self._since > self.PER_SECONDS:
            self._since = record.created
            self._counts.clear()
        place = (record.pathname, record.lineno, record.levelname)
        self._counts[place] += 1
        if self._counts[place] == self.AT_MOST:
            record.msg, record.args = f"{record.getMessage()} (repeated; not logged for a while)", ()
        return record.levelno < logging.WARNING or self._counts[place] <= self.AT_MOST


def _raise_file_limit() -> None:
    """Allow as many open files as the system lets us: each connection needs one, a stranger's too."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _start_logging() -> Callable[[str], None]:
    redaction = _Redaction()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(redaction)
    handler.addFilter(_Brake())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.INFO)
    # The scheduler's own HTTP access log says nothing to the owner of a cluster.
    logging.getLogger("tornado.access").setLevel(logging.ERROR)
    return redaction.secrets.append


def use_dask_logging() -> None:
    """Let distributed's messages take our handler instead of its own, which would print them twice."""
    for name in ("distributed", "distributed.scheduler", "distributed.worker", "distributed.nanny", "bokeh"):
        logger = logging.getLogger(name)
        logger.handlers = []
        logger.propagate = True


async def _serve(folder_path: Path, held: int, redact: Callable[[str], None], started: float, *, standby: bool) -> None:
    from ..registry.store import Registry
    from .eviction import end_when_evicted
    from .interface import Adoption, Interface, serve
    from .owner import Owner
    from .warmup import configure_dask

    registry = Registry(folder_path.parent)
    folder = registry.folder(folder_path.name)
    record = registry.read(folder)
    if record is None:
        raise SystemExit(f"There is no record in {folder.path}.")
    ended = asyncio.Event()
    owned: asyncio.Future[Owner] = asyncio.get_running_loop().create_future()

    async def adopt(adoption: Adoption) -> Owner:
        apply_environment(adoption.environment)
        enter(adoption.cwd)
        written = registry.read(folder)
        assert written is not None and written.cluster is not None
        owner = Owner(registry, folder, written.cluster, redact)
        owned.set_result(owner)
        return owner

    interface = Interface(adopt if standby else None, ended.set)
    end_when_evicted(folder, held, lambda: _scratch_outside(interface))
    loop = asyncio.get_running_loop()

    def terminate() -> None:
        if interface.owner is not None:
            interface.owner.stop("Stopped by a signal.")
        ended.set()

    loop.add_signal_handler(signal.SIGTERM, terminate)

    # Be reachable at once, so that a start can be cancelled; the imports run beside in a thread.
    if not standby:
        assert record.cluster is not None
        enter(os.getcwd())
        interface.owner = owner = Owner(registry, folder, record.cluster, redact)
        serve(interface, folder)
        await asyncio.to_thread(configure_dask)
        use_dask_logging()
    else:
        serve(interface, folder)
        await asyncio.to_thread(_warm_up)
        use_dask_logging()
        # Under the lock: somebody may be writing a cluster into the record right now.
        with registry.exclusive():
            written = registry.read(folder)
            if written is not None and written.kind == "standby":
                registry.write(folder, written.model_copy(update={"ready": True}))
        if not owned.done():
            logging.info("Standby is ready after %.1f s", time.monotonic() - started)
        waiter = asyncio.ensure_future(ended.wait())
        awaited: set[asyncio.Future[Any]] = {owned, waiter}
        await asyncio.wait(awaited, timeout=STANDBY_LIFETIME_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        waiter.cancel()
        if not owned.done():
            shutil.rmtree(folder.path, ignore_errors=True)
            return
        owner = owned.result()
    catching_up = asyncio.create_task(_import_late(owner)) if not standby else None
    model = await owner.run()
    if catching_up is not None:
        catching_up.cancel()
    logging.info("The cluster has ended: %s. %s", model.state.value, model.reason or "")


def _scratch_outside(interface: Interface) -> Path | None:
    owner = interface.owner
    chosen = owner.spec.local_directory if owner is not None else None
    return owner.folder.scratch_in(chosen) if owner is not None and chosen is not None else None


async def _import_late(owner: Owner) -> None:
    """Import, once the cluster runs, what a cold start has put off; in a thread, so that nobody waits."""
    from .warmup import import_all

    while owner.model.running_at is None:  # noqa: ASYNC110  # nobody waits for this
        await asyncio.sleep(0.1)
    await asyncio.sleep(0.5)
    await asyncio.to_thread(import_all)


def _warm_up() -> None:
    """Do the slow part of a start: import everything, and wait until the forkserver has done the same."""
    from .warmup import configure_dask, import_all, wait_for_forkserver

    configure_dask()
    import_all()
    wait_for_forkserver()


def apply_environment(environment: dict[str, str]) -> None:
    """Take over the environment of whoever asks for the cluster, for this process and its workers."""
    import dask

    different = {name: value for name, value in environment.items() if os.environ.get(name) != value}
    os.environ.clear()
    os.environ.update(environment)
    if different:
        dask.config.set({"distributed.nanny.environ": {**dask.config.get("distributed.nanny.environ"), **different}})


def enter(directory: str) -> None:
    """Work in that directory, and let workers import modules from it, as the notebook does.

    It comes last on the path: a file in it cannot replace a module of the libraries.
    """
    with suppress(OSError):
        os.chdir(directory)
    if directory not in sys.path:
        sys.path.append(directory)


def main() -> None:
    """Run one supervisor."""
    started = time.monotonic()
    parser = argparse.ArgumentParser(prog="python -m gpucluster.supervisor")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--lock-fd", type=int, required=True)
    parser.add_argument("--report-fd", type=int, required=True)
    parser.add_argument("--standby", action="store_true")
    options = parser.parse_args()
    _detach(options.report_fd)
    # Held, without being used, until this process ends; workers must not inherit it.
    os.set_inheritable(options.lock_fd, False)
    _redirect(options.folder / "log")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    # '-m' puts the caller's directory first on the path; see enter().
    if sys.path and sys.path[0] in {"", os.getcwd()}:
        sys.path.pop(0)
    redact = _start_logging()
    _raise_file_limit()
    from .warmup import start_forkserver

    start_forkserver()
    code = 0
    try:
        asyncio.run(_serve(options.folder, options.lock_fd, redact, started, standby=options.standby))
    except Exception:
        logging.exception("The supervisor failed")
        code = 1
    logging.shutdown()
    # The fork server's folder: an exit that does not wait leaves it behind.
    shutil.rmtree(get_temp_dir(), ignore_errors=True)
    # Not sys.exit: threads of distributed that linger must not keep the lock.
    os._exit(code)


if __name__ == "__main__":
    main()
