"""In which order several processes take the files, and what is looked at around each test."""

import faulthandler
import gc
import os
import signal
from collections.abc import Generator

import psutil
import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
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


SECONDS_TO_END = 120
"""What a test has for its teardown, after its timeout."""


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


def _end_the_process_later(item: pytest.Item) -> None:
    mark = item.get_closest_marker("timeout")
    timeout = mark.args[0] if mark is not None else float(item.config.getini("timeout"))
    where = item.config.stash[fault_handler_stderr_fd_key]  # not captured
    faulthandler.dump_traceback_later(timeout + SECONDS_TO_END, exit=True, file=where)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """End the process, with all stacks, when a test does not end: its timeout cannot stop every teardown."""
    _end_the_process_later(item)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """Fail a test that takes Ctrl-C away from the tests after it, as `dask_jobqueue` does when it is imported."""
    _end_the_process_later(item)  # again: pytest cancels it after a failure
    yield
    if (handler := signal.getsignal(signal.SIGINT)) is not signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        pytest.fail(f"SIGINT is handled by {handler!r} after {item.nodeid}: what it imported or called has taken it")
