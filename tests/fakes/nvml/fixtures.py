"""Fixtures for tests that need a machine with GPUs. Import both into a ``conftest.py``."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from .machine import FakeMachine, compile_libraries


@pytest.fixture(scope="session")
def fake_libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the compiled ``libnvidia-ml.so.1`` and ``libcuda.so.1``."""
    if shutil.which("gcc") is None:
        pytest.skip("these tests compile a stand-in for NVML: install gcc")
    return compile_libraries(tmp_path_factory.mktemp("nvml"))


@pytest.fixture
def machine(fake_libraries: Path, tmp_path: Path) -> Iterator[FakeMachine]:
    """A machine without a GPU until the test writes some."""
    yield FakeMachine(fake_libraries, tmp_path / "machine.txt")
