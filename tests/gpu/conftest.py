"""Clusters on a real GPU; without a GPU and RAPIDS all tests are skipped."""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.gpu.piece import MARK as PIECE_MARK

GIB = 2**30


def _why_not() -> str:
    if os.environ.get("FAKE_NVML"):
        return "the GPU is simulated"
    try:
        import cupy
        import pynvml
        import rmm  # noqa: F401

        pynvml.nvmlInit()
        pynvml.nvmlShutdown()
        return "" if cupy.is_available() else "CUDA finds no GPU"
    except Exception as error:  # each library has its own errors
        return f"needs an NVIDIA GPU and RAPIDS ({type(error).__name__})"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the file of the counts."""
    parser.addoption("--figures", help="file for the counts of passed, failed and skipped tests")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the proof if a test was skipped."""
    if PIECE_MARK not in os.environ:
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    counts = {outcome: len(reporter.stats.get(outcome, ())) for outcome in ("passed", "failed", "error", "skipped")}
    if path := session.config.getoption("--figures", default=None):
        Path(path).write_text(json.dumps(counts), encoding="utf-8")
    if counts["skipped"] or not counts["passed"]:
        reporter.write_line(f"The proof is not made: {counts['passed']} passed, {counts['skipped']} left out.")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session", autouse=True)
def _gpu() -> None:
    why = _why_not()
    if why and PIECE_MARK in os.environ:
        pytest.fail(f"The proof cannot be made: {why}")
    if why:
        pytest.skip(why)


@pytest.fixture
def cluster_with() -> Iterator[Callable[..., Any]]:
    """Return a context manager that creates a cluster with one GPU worker in a separate registry."""
    import gpucluster

    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(prefix="gg", dir="/tmp") as folder:
        patch.setenv("GPUCLUSTER_DIR", folder)

        @contextmanager
        def create(**options: Any) -> Iterator[tuple[Any, Any]]:
            with gpucluster.create("cuda", n_workers=1, **options) as cluster:
                client = cluster.get_client()
                try:
                    yield cluster, client
                finally:
                    client.close()

        yield create
        assert [model for model in gpucluster.list() if not model.state.ended] == []
