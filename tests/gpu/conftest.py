"""Clusters on a real GPU. Nothing here is simulated: without a GPU and RAPIDS, everything is left out."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

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
    except Exception as error:  # each library has errors of its own
        return f"needs an NVIDIA GPU and RAPIDS ({type(error).__name__})"


@pytest.fixture(scope="session", autouse=True)
def _gpu() -> None:
    why = _why_not()
    if why and "GPUCLUSTER_PIECE" in os.environ:
        pytest.fail(f"The proof cannot be made: {why}")
    if why:
        pytest.skip(why)


@pytest.fixture
def cluster_with() -> Iterator[Callable[..., Any]]:
    """Give a context manager that creates a cluster with one GPU worker, in a registry of its own."""
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
