"""Counters of the devices: from ``nvidia-smi dmon`` where there is one that answers, else simulated, and told which."""

from __future__ import annotations

import shutil
import subprocess
from typing import NamedTuple

from ..simulations.pipeline import counter_log, two_devices

RECORDED = "etl-with-spill-cpu"
"""A recording that comes with gpucluster, of two workers without a GPU whose results go to disk and come back."""
_LINES = 10
_TIMEOUT_SECONDS = 30


class CounterLog(NamedTuple):
    """A log in the format of ``dmon``, and where it is from."""

    text: str
    simulated: bool
    source: str


def watch_devices(samples: int = _LINES) -> CounterLog:
    """Return what ``nvidia-smi dmon`` says now, or, where there is none, the log of the simulated pipeline."""
    command = shutil.which("nvidia-smi")
    if command is not None:
        try:
            done = subprocess.run(
                [command, "dmon", "-s", "pumt", "-d", "1", "-c", str(samples)],
                capture_output=True, text=True, timeout=_TIMEOUT_SECONDS + samples, stdin=subprocess.DEVNULL,
                check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            done = None
        if done is not None and done.returncode == 0 and done.stdout.lstrip().startswith("#"):
            return CounterLog(done.stdout, False, f"Measured here: nvidia-smi dmon -s pumt -d 1 -c {samples}")
    return CounterLog(simulated_log(), True, "SIMULATED from stated formulas (simulations/pipeline.py), not measured")


def simulated_log() -> str:
    """Return the log of the lesson's simulated devices."""
    return counter_log(two_devices())
