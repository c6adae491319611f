"""A test that does not end is named, and the run goes on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFTEST = """
import time
import pytest
import tests.suite.running
tests.suite.running.SECONDS_TO_END = 1
pytest_plugins = ["tests.suite.running"]

@pytest.fixture
def server():
    yield
    time.sleep(60); time.sleep(60)
"""
TESTS = """
def test_before():
    pass

def test_whose_server_does_not_stop(server):
    assert False

def test_after():
    pass
"""


@pytest.mark.processes
def test_a_teardown_that_waits_for_ever(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_these.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\ntimeout = 3\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "1", "-p", "no:cacheprovider", "-p", "no:schemathesis", str(tmp_path)],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""},
    )  # fmt: skip
    assert "crashed while running 'test_these.py::test_whose_server_does_not_stop'" in done.stdout, (
        done.stdout + done.stderr
    )
    assert "2 passed" in done.stdout
    assert "in server" in done.stderr
