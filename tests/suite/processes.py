"""Tests without processes: what `make check` runs in a minute.

A test belongs to them unless it uses a fixture that starts processes, its file imports what starts them or lies in a
folder of such tests, or it is marked ``processes``. This is enforced: a test that counts as one of them and starts a
process fails in every run.
"""

import multiprocessing.process
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FIXTURES = frozenset(
    {
        "_cluster",  # learn: Dask's own cluster, with nannies
        "browser",
        "cluster",
        "command",
        "dask_mpi",
        "fake_libraries",  # compiles
        "gateway",  # a Dask Gateway server
        "gpucluster",  # the command line
        "jp_serverapp",
        "lab",
        "running_cluster",
        "servers",  # sshd
        "in_new_process",
        "shared_site",
        "site",
        "slurm",
        "wheel",
    }
)
"""Fixtures, of any folder, that start processes."""
FOLDERS = frozenset({"browser", "gpu", "grading", "packaging"})
"""Folders of such tests: skipped without importing them."""
NAMES = frozenset(
    {
        "LocalCluster",
        "Nanny",
        "NotebookClient",
        "Popen",
        "execute",  # a notebook, in a kernel
        "jupyter",
        "mpiexec",
        "multiprocessing",
        "subprocess",
    }
)
"""What the files of tests with processes import or define."""
EVENTS = frozenset({"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen"})
SMALL = frozenset({"cc", "fc-list", "gcc", "ld", "ldconfig", "lscpu", "objdump", "pandoc", "uname"})
"""What libraries ask at their first use (``ctypes.util``, ``platform``, joblib, jupytext, matplotlib)."""


class _Watch:
    """Sees what is started while a test without processes runs."""

    def __init__(self) -> None:
        self.active = False
        self.everywhere = False
        """Whether threads are watched that the test may not have started: those of clusters that others share."""
        self.seen: list[str] = []

    def note(self, what: str) -> None:
        if self.active and (self.everywhere or threading.current_thread() is threading.main_thread()):
            self.seen.append(what)

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.active and event in EVENTS:
            program = str(arguments[0]) if arguments else ""
            if os.path.basename(program) not in SMALL:
                self.note(f"{event}({program})")


_watch = _Watch()
_start = multiprocessing.process.BaseProcess.start


def _watched_start(process: multiprocessing.process.BaseProcess) -> None:
    # What multiprocessing starts by 'spawn' or 'forkserver' raises no audit event.
    _watch.note(f"multiprocessing: {process.name}")
    _start(process)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `make check` leave out whatever needs processes."""
    group = parser.getgroup("gpucluster")
    group.addoption("--no-processes", action="store_true", help="run only the tests that start no process")


def pytest_configure(config: pytest.Config) -> None:
    _watch.everywhere = config.getoption("no_processes")
    sys.addaudithook(_watch.audit)
    multiprocessing.process.BaseProcess.start = _watched_start  # type: ignore[method-assign]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if config.getoption("no_processes") and collection_path.name in FOLDERS else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests whose fixtures start processes; leave them out where that was asked for."""
    for item in items:
        names = vars(item.module) if isinstance(item, pytest.Function) else {}
        if (
            FIXTURES.intersection(getattr(item, "fixturenames", ()))
            or FOLDERS.intersection(item.path.relative_to(config.rootpath).parts)
            or NAMES.intersection(names)
        ):
            item.add_marker("processes")
    if config.getoption("no_processes"):
        with_processes = [item for item in items if item.get_closest_marker("processes")]
        config.hook.pytest_deselected(items=with_processes)
        items[:] = [item for item in items if not item.get_closest_marker("processes")]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    _watch.seen.clear()
    _watch.active = item.get_closest_marker("processes") is None
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Fail a test that has started one anyway."""
    result = yield
    _watch.active = False
    if _watch.seen:
        pytest.fail(
            f"It has started {_watch.seen[0]}: mark it 'processes', or use a fixture that tests.suite.processes knows."
        )
    return result
