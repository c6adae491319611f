"""The command line as a separate process."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gpucluster.client.starting.environment import cluster_environment

sys.path.insert(0, str(Path(__file__).parents[1] / "fakes"))

from nvml.fixtures import fake_libraries, machine  # noqa: E402, F401

Run = Callable[..., "subprocess.CompletedProcess[str]"]

COMMAND = [sys.executable, "-m", "gpucluster.cli"]


@pytest.fixture(scope="session")
def gpucluster() -> Run:
    """Run ``gpucluster`` with these arguments; the registry is the one of the environment."""

    def run(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
        # Without the variables that a Dask nanny has set in this process.
        options = {"env": cluster_environment(), **options}
        return subprocess.run(
            [*COMMAND, *words], capture_output=True, text=True, timeout=150, stdin=subprocess.DEVNULL, **options
        )

    return run


@pytest.fixture(scope="session")
def answer(gpucluster: Run) -> Callable[..., Any]:
    """Run ``gpucluster … --json`` and return its answer."""

    def run(*words: str) -> Any:
        done = gpucluster(*words, "--json")
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="session")
def command() -> list[str]:
    return COMMAND
