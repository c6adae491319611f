"""The process that workers are forked from: reached from many threads at once."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import multiprocessing, os, sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import util

from gpucluster.supervisor import warmup

warmup.start_forkserver()
before = util.get_temp_dir()
sys.setswitchinterval(1e-6)
context = multiprocessing.get_context("forkserver")

def start(_):
    for _ in range(10):
        multiprocessing.forkserver.ensure_running()
    process = context.Process(target=os.getpid)
    process.start()
    process.join()
    return process.exitcode

with ThreadPoolExecutor(8) as threads:
    assert set(threads.map(start, range(24))) == {0}
assert util.get_temp_dir() == before, util.get_temp_dir()
"""


@pytest.mark.linux("workers that are forked from one process")
@pytest.mark.processes
def test_workers_that_start_together_do_not_take_the_folder_from_each_other() -> None:
    """Each is started from a thread of its own; once it was lost, no worker could start any more."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
