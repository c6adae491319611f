"""In which order several processes take the files, and what is looked at around each test."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator
from typing import Any

import psutil
import pytest
from gpucluster.operating_system import LINUX

FIRST = (
    "tests/lessons/test_notebooks.py",
    "tests/lessons/test_answers.py",
    "tests/browser/",
    "tests/lessons/grading/",
    "tests/backends/slurm/",
    "tests/test_demo.py",
    "tests/packaging/",
    "tests/hub/",
)
"""The longest ones; files of `browser` share a server and a browser as long as nothing else comes in between."""
MOST_PROCESSES = 8
BYTES_EACH = 2 * 2**30
"""A process of tests with a cluster, a server and a browser, or with a lesson: the largest one takes 1.34 GB."""
SHOWN_LINES = 12


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Look for no garbage in a million objects that stay: a fifth of what collecting takes, in each process."""
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where several processes share the files, let the longest come first, then those that start processes."""
    if not hasattr(config, "workerinput"):
        return
    with_processes = {item.path for item in items if item.get_closest_marker("processes")}

    def place(item: pytest.Item) -> int:
        known = (number for number, name in enumerate(FIRST) if item.nodeid.startswith(name))
        return next(known, len(FIRST) + (item.path not in with_processes))

    items.sort(key=place)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Look for garbage again, in what comes from here on."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Tests wait more than they compute: a process more than there are processors, as far as the memory goes."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(processors + 1, MOST_PROCESSES, psutil.virtual_memory().total // BYTES_EACH))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave out what is marked ``linux`` elsewhere, and where Linux is taken away (``make portable-tests``)."""
    if not LINUX and (mark := item.get_closest_marker("linux")) is not None:
        pytest.skip(f"only Linux has it: {mark.args[0]}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """Fail a test that takes Ctrl-C away from the tests after it, as `dask_jobqueue` does when it is imported."""
    yield
    if (handler := signal.getsignal(signal.SIGINT)) is not signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        pytest.fail(f"SIGINT is handled by {handler!r} after {item.nodeid}: what it imported or called has taken it")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Show why tests failed that passed on the second try (``--reruns``), so that the cause is looked for."""
    tries = terminalreporter.stats.get("rerun", [])
    if not tries:
        return
    terminalreporter.section("first tries that failed")
    for report in tries:
        crash = getattr(report.longrepr, "reprcrash", None)
        where = f" ({crash.path}:{crash.lineno})" if crash else ""
        terminalreporter.write_line(f"{report.nodeid}, {report.when}, after {report.duration:.0f} s{where}")
        told = str(crash.message) if crash else str(report.longrepr)
        for line in told.splitlines()[-SHOWN_LINES:]:
            terminalreporter.write_line(f"    {line[:400]}")
