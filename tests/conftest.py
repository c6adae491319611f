"""Separate registries for tests with real clusters: short paths, and nothing is left running."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from gpucluster.client.control import Control
from gpucluster.client.starting.environment import cluster_environment
from gpucluster.protocol.errors import GPUClusterError
from gpucluster.protocol.models import ClusterModel
from gpucluster.protocol.version import PROTOCOL_HEADER, PROTOCOL_VERSION, SECRET_HEADER
from gpucluster.registry.store import Registry

pytest_plugins = ["tests.suite.processes", "tests.suite.running"]

# The same examples each time, so that a failure can be repeated; HYPOTHESIS_PROFILE=explore draws new ones.
with suppress(ModuleNotFoundError):  # The environment with dask-cuda has no hypothesis.
    from hypothesis import settings

    settings.register_profile("same", derandomize=True, deadline=None)
    settings.register_profile("explore", deadline=None)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

# Idle threads of BLAS and OpenMP spin and take the processors from other processes: a third of the time of the tests
# of gpucluster.learn. The variables are read when the libraries are loaded, here and in child processes.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# Hardly any test benefits from the later preload, which costs each cluster more than a second.
os.environ["GPUCLUSTER_PRELOAD_LATER"] = "0"

# GPU claims and turns to start apply to a whole machine, so each process of a run gets its own machine name.
os.environ.setdefault("GPUCLUSTER_NODE", f"{os.getpid():x}")

# Tests ignore the site's file of this machine.
os.environ["GPUCLUSTER_SITE"] = "/nonexistent/site.yaml"

# A shell's background processes ignore interrupts; every process of a test would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

PATIENCE_SECONDS = 90.0
"""Long, so that no test fails on a slow machine."""

MOST_SECONDS_BETWEEN_LOOKS = 0.15


def until(condition: Callable[[], Any], *, timeout: float = PATIENCE_SECONDS, what: Any = "") -> Any:
    """Wait until a condition holds; return what it returned."""
    begun = time.monotonic()
    while True:
        looked = time.monotonic()
        if found := condition():
            return found
        now = time.monotonic()
        if now - begun > timeout:
            raise AssertionError(f"did not happen within {timeout:.0f} s: {what() if callable(what) else what}")
        # Poll less often the longer it takes and the more a look costs: others need the processors.
        time.sleep(min(MOST_SECONDS_BETWEEN_LOOKS, max(0.02, 3 * (now - looked), (now - begun) / 20)))


async def until_async(condition: Callable[[], Any], *, interval: float = 0.01) -> None:
    """Wait in a coroutine for something that sends no event."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(interval)


class Site:
    """A registry with its control and all processes that belong to it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.control = Control(directory)
        self.registry = Registry(directory)

    def create(self, **options: Any) -> ClusterModel:
        """Create a cluster, by default with one CPU worker."""
        spec = {"backend": "local", "n_workers": 1, "memory_limit": "512 MiB", **options}
        return self.control.create(spec)

    def running(self, **options: Any) -> ClusterModel:
        """Create a cluster and wait until it runs."""
        return self.control.wait(self.create(**options).id, timeout=PATIENCE_SECONDS)

    def get(self, cluster: str) -> ClusterModel:
        return self.control.get(cluster)

    def wait_for(self, cluster: str, condition: Callable[[ClusterModel], Any]) -> ClusterModel:
        """Wait until a cluster meets a condition."""
        until(lambda: condition(self.get(cluster)), what=lambda: self.get(cluster))
        return self.get(cluster)

    def standby(self) -> int:
        """Start a standby, wait until it is warm, and return its pid."""
        self.control.ensure_standby()
        return self.warm_standby()

    def warm_standby(self) -> int:
        """Wait until a standby that was started elsewhere is warm, and return its pid."""

        def ready() -> list[Any]:
            records = [self.registry.read(folder) for folder in self.registry.folders()]
            return [record for record in records if record and record.kind == "standby" and record.ready]

        until(ready, what="the standby was never ready")
        return self.standby_pids()[0]

    def standby_pids(self) -> list[int]:
        """Return the pids of the standby supervisors."""
        found = []
        for folder in self.registry.folders():
            record = self.registry.read(folder)
            if record is not None and record.kind == "standby":
                found += [process.pid for process in self.processes() if _is_supervisor(process, folder.path)]
        return found

    def processes(self) -> list[psutil.Process]:
        """Return every other living process that was started with this registry in its environment."""
        found = []
        for pid in psutil.pids():
            with suppress(OSError, psutil.Error):
                # The environment a process was started with: forked workers share their forkserver's.
                if pid != os.getpid() and _variable(pid, "GPUCLUSTER_DIR") == str(self.directory):
                    process = psutil.Process(pid)
                    if process.status() != psutil.STATUS_ZOMBIE:
                        found.append(process)
        return found

    def family(self, model: ClusterModel) -> list[psutil.Process]:
        """Return the supervisor of a cluster and all its descendants."""
        assert model.pid is not None
        supervisor = psutil.Process(model.pid)
        return [supervisor, *supervisor.children(recursive=True)]

    def reachable_sockets(self, model: ClusterModel) -> set[str]:
        """Return the sockets with a path of a cluster's processes that this user can connect to."""
        found = set()
        for process in self.family(model):
            with suppress(psutil.Error):
                for opened in process.net_connections("unix"):
                    with suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
                        connection.connect(opened.laddr)
                        found.add(opened.laddr)
        return found

    def headers(self, cluster: str, **more: Any) -> dict[str, Any]:
        """Return the headers of our requests to the socket of a cluster or standby."""
        secret = self.registry.folder(cluster).secret.read_text()
        return {PROTOCOL_HEADER: str(PROTOCOL_VERSION), SECRET_HEADER: secret, **more}

    def python(self, code: str, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        """Run a script in a separate process."""
        # Without the variables that a nanny of Dask has set here: a new process would take them for a user's choice.
        environment = {**cluster_environment(), "GPUCLUSTER_DIR": str(self.directory), **options.pop("env", {})}
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
        return subprocess.Popen([sys.executable, "-c", code, *arguments], env=environment, **options)

    def close(self) -> None:
        """Stop everything, and fail unless it is gone."""
        for pid in self.standby_pids():
            with suppress(psutil.Error):
                psutil.Process(pid).terminate()
        for model in self.control.list():
            with suppress(GPUClusterError):
                self.control.stop(model.id)
        try:
            until(lambda: not self.processes(), timeout=20, what=lambda: [p.cmdline() for p in self.processes()])
        finally:
            for process in self.processes():
                with suppress(psutil.Error):
                    process.kill()
            shutil.rmtree(self.directory, ignore_errors=True)


def _variable(pid: int, name: str) -> str | None:
    """Return a variable that a process was started with; without psutil, because it is called very often."""
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    except FileNotFoundError:  # Perhaps there is no /proc.
        return psutil.Process(pid).environ().get(name)
    beginning = f"{name}=".encode()
    found = (item for item in environment.split(b"\0") if item.startswith(beginning))
    return next((os.fsdecode(item[len(beginning) :]) for item in found), None)


def _is_supervisor(process: psutil.Process, folder: Path) -> bool:
    """Return whether it is one; a copy of it shows the same command at first."""
    with suppress(psutil.Error):
        parent = process.parent()
        return str(folder) in process.cmdline() and (parent is None or str(folder) not in parent.cmdline())
    return False


def _make_site() -> Iterator[Site]:
    # Not tmp_path: the path of a unix socket must be short.
    directory = Path(tempfile.mkdtemp(prefix="gpc", dir="/tmp"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPUCLUSTER_DIR", str(directory))
        made = Site(directory)
        yield made
        made.close()


@pytest.fixture
def site() -> Iterator[Site]:
    """A registry for one test."""
    yield from _make_site()


@pytest.fixture(scope="module")
def shared_site() -> Iterator[Site]:
    """A registry for the tests of one file."""
    yield from _make_site()


@pytest.fixture(scope="module")
def shared_cluster(shared_site: Site) -> ClusterModel:
    """A running cluster with two workers, for tests that leave it usable."""
    return shared_site.running(name="shared", n_workers=2, idle_timeout_seconds=None)


@pytest.fixture
def wait_until() -> Callable[..., Any]:
    """Poll for a condition."""
    return until


@pytest.fixture(autouse=True, scope="module")
def _no_client_is_left() -> Iterator[None]:
    """Fail where a file leaves a default client, which other files in this process would use."""
    yield
    if (module := sys.modules.get("distributed.client")) is not None:
        left = [client for client in module._global_clients.values() if client.status == "running"]
        module._global_clients.clear()
        for client in list(module.Client._instances):
            client._set_as_default = False  # One that loses its scheduler closes later; it changes no configuration.
        assert not left, "close it, or other tests use it as their default client"


@pytest.fixture(autouse=True)
def _no_scheduler_is_left() -> Iterator[None]:
    """Dask's configuration keeps pointing to a cluster that ends before its default client."""
    yield
    if "dask.config" in sys.modules:
        sys.modules["dask.config"].config.pop("scheduler", None)
