"""A simulated cluster as a process of its own, for tests and benchmarks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[3]


@contextmanager
def simulated_cluster(*options: str, environment: dict[str, str] | None = None) -> Iterator[str]:
    """Run a simulated cluster for the length of a ``with`` block; gives its id once all workers are there.

    Parameters
    ----------
    options : str
        As on the command line, such as ``"--workers", "8", "--gpus"``.
    environment : dict, optional
        By default this process's, ``GPUCLUSTER_DIR`` included.
    """
    command = [sys.executable, "-m", "tests.fakes.cluster", *options]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            first = process.stdout.readline().split()
            assert first, "the simulation ended before it ran; its output says why"
            yield first[0]
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
