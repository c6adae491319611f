"""A test that says it starts no process, and does, fails; one that does not end is named, and the run goes on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROCESSES = """
import pytest
pytest_plugins = ["tests.suite.processes"]

@pytest.fixture
def site():
    import os
    os.system("true")
"""
WITH_PROCESSES = """
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
RUNNING = """
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
WITHOUT_END = """
def test_before():
    pass

def test_whose_server_does_not_stop(server):
    assert False

def test_after():
    pass
"""


def run(folder: Path, conftest: str, tests: str, ini: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text(conftest)
    (folder / "test_these.py").write_text(tests)
    (folder / "pytest.ini").write_text(f"[pytest]\n{ini}\n")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, str(folder)],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""},
    )  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize(
    ("options", "outcomes"), [([], "2 errors"), (["--no-processes"], "3 passed, 3 deselected, 2 errors")]
)
def test_whoever_starts_one_is_marked(tmp_path: Path, options: list[str], outcomes: str) -> None:
    (tmp_path / "test_importing.py").write_text(IMPORTING)
    done = run(tmp_path, PROCESSES, WITH_PROCESSES, "markers =\n    processes: starts some", *options)
    assert outcomes in done.stdout, done.stdout + done.stderr
    for name, started in (("test_a_fork", "os.fork"), ("test_multiprocessing", "multiprocessing: ")):
        assert f"ERROR at teardown of {name} " in done.stdout
        assert f"Failed: It has started {started}" in done.stdout


@pytest.mark.processes
def test_a_teardown_that_waits_for_ever(tmp_path: Path) -> None:
    done = run(tmp_path, RUNNING, WITHOUT_END, "timeout = 3", "-n", "1", "-p", "no:schemathesis")
    expected = "crashed while running 'test_these.py::test_whose_server_does_not_stop'"
    assert expected in done.stdout, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    assert "in server" in done.stderr
