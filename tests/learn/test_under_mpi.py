"""Estimators and metrics under ``mpiexec``, where each rank has rows of different classes."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.mpi import ONE_THREAD, mpiexec, require_mpi

pytestmark = pytest.mark.full

PROGRAM = Path(__file__).with_name("mpi_program.py")
require_mpi()


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_same_under_mpiexec(size: int) -> None:
    command = [*mpiexec(size), sys.executable, PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, timeout=150, env=ONE_THREAD, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count("the same") == size
