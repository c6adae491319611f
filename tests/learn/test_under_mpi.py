"""Estimators and metrics under ``mpiexec``, where each rank has rows of different classes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mpi import mpiexec, must_have_mpi

pytestmark = pytest.mark.full

PROGRAM = Path(__file__).with_name("mpi_program.py")
must_have_mpi()


@pytest.mark.parametrize("size", [1, 3])
def test_the_same_under_mpiexec(size: int) -> None:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*mpiexec(size), sys.executable, PROGRAM],
        capture_output=True, text=True, timeout=150, env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count("the same") == size
