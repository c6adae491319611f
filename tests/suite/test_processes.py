"""A test that says it starts no process, and does, fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFTEST = """
import pytest
pytest_plugins = ["tests.suite.processes"]

@pytest.fixture
def site():
    import os
    os.system("true")
"""
TESTS = """
import os
from multiprocessing import get_context
import pytest

def test_none():
    pass

def test_a_fork():
    if os.fork() == 0:
        os._exit(0)
    os.wait()

def test_multiprocessing():
    process = get_context("spawn").Process(target=print)
    process.start()
    process.join()

def test_a_fixture(site):
    pass

@pytest.mark.processes
def test_a_marked_one():
    os.system("true")
"""
IMPORTING = "import subprocess\ndef test_it(): subprocess.run(['true'], check=True)"


@pytest.mark.full
@pytest.mark.parametrize(
    ("options", "outcomes"), [([], "2 errors"), (["--no-processes"], "3 passed, 3 deselected, 2 errors")]
)
def test_whoever_starts_one_is_marked(tmp_path: Path, options: list[str], outcomes: str) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_these.py").write_text(TESTS)
    (tmp_path / "test_importing.py").write_text(IMPORTING)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    processes: starts some\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, str(tmp_path)],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""},
    )  # fmt: skip
    assert outcomes in done.stdout, done.stdout + done.stderr
    for name, started in (("test_a_fork", "os.fork"), ("test_multiprocessing", "multiprocessing: ")):
        assert f"ERROR at teardown of {name} " in done.stdout
        assert f"Failed: It has started {started}" in done.stdout
