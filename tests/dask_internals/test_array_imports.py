"""``dask.array`` imports SciPy only on demand."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.processes

PROGRAM = """
import sys
from gpucluster.dask_internals.array_imports import import_arrays_without_scipy

import_arrays_without_scipy()
import_arrays_without_scipy()
assert sum(type(finder).__module__.startswith("gpucluster") for finder in sys.meta_path) == 1
import dask.array as da

without = "scipy" not in sys.modules
import scipy.sparse

assert abs(da.fft.fft(da.ones(4, chunks=4)).compute()[0]) == 4
assert da.ones((4, 4), chunks=2).map_blocks(scipy.sparse.csr_matrix).compute().nnz == 16
print(without)
"""


def test_scipy_is_imported_only_on_demand(canary):
    with canary("modules of dask.array that import SciPy but these two, which can do without"):
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False)
        assert (done.stdout, done.stderr) == ("True\n", "")
