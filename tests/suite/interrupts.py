"""A test that takes Ctrl-C away from the tests after it fails itself."""

from __future__ import annotations

import signal
from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """Look who handles SIGINT once a test and what it used are done; put the handler back.

    Libraries take the signal when they are imported (``dask_jobqueue``), so the test that fails for it otherwise is
    another one, of another file, in one order of files out of many.
    """
    yield
    if (handler := signal.getsignal(signal.SIGINT)) is not signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        pytest.fail(f"SIGINT is handled by {handler!r} after {item.nodeid}: what it imported or called has taken it")
