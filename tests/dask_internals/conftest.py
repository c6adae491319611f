"""One cluster of threads for all canaries, and the message of a failed canary."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import version
from typing import Any, NamedTuple

import dask
import distributed.client
import pytest
from distributed import Client, LocalCluster

SCHEDULER: dict[str, Any] = {"host": "127.0.0.1", "port": 0, "dashboard": False, "dashboard_address": ":0"}
"""Options of a small scheduler."""
Canary = Callable[[str], AbstractContextManager[None]]


@contextmanager
def relies_on(what: str) -> Iterator[None]:
    """Fail with a message that names `what` this version of Dask no longer has."""
    try:
        yield
    except (Exception, pytest.fail.Exception) as error:
        message = " ".join(str(error).split())[:300]
        pytest.fail(
            f"distributed {version('distributed')} has no {what} any more, or it works in another way "
            f"({type(error).__name__}: {message}). What relies on it is in gpucluster/dask_internals.",
            pytrace=False,
        )


@pytest.fixture(scope="session")
def canary() -> Canary:
    return relies_on


class Here(NamedTuple):
    """A scheduler and two workers in this process, and a client of them."""

    cluster: Any
    client: Client
    scheduler: Any
    worker: Any
    other: Any


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    """The cluster that the canaries of a file share; it spills early and never pauses."""
    memory = "distributed.worker.memory."
    quiet = {f"{memory}target": 0.1, f"{memory}spill": False, f"{memory}pause": False, f"{memory}terminate": False}
    options: dict[str, Any] = {"processes": False, "protocol": "tcp", "host": "127.0.0.1"}
    with (
        dask.config.set({**quiet, "temporary-directory": str(tmp_path_factory.mktemp("dask"))}),
        LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit="100 MB", dashboard_address="127.0.0.1:0", **options
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        client.wait_for_workers(2)
        yield Here(cluster, client, cluster.scheduler, cluster.workers[0], cluster.workers[1])


@pytest.fixture(autouse=True)
def _clients_of_tasks_are_not_the_default() -> Iterator[None]:
    """Clients of tasks in ``here`` live in this process and would become its default."""
    yield
    for number, client in list(distributed.client._global_clients.items()):
        if "-worker-" in client.id:
            del distributed.client._global_clients[number]


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], AbstractContextManager[None]]:
    """Return a context that interrupts this thread after it hands a callback to an event loop."""

    @contextmanager
    def interrupting(loop: Any) -> Iterator[None]:
        with monkeypatch.context() as patch:
            hand_over = loop.add_callback

            def add_callback(*arguments: Any, **options: Any) -> None:
                patch.undo()
                hand_over(*arguments, **options)
                del arguments, options
                raise KeyboardInterrupt

            patch.setattr(loop, "add_callback", add_callback)
            yield

    return interrupting


@pytest.fixture(scope="session")
def in_new_process() -> Callable[[str], str]:
    """Run code that permanently changes Dask; return its output."""

    def run(code: str) -> str:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout.strip()

    return run
