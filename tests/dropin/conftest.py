"""A handle of gpucluster and an equal ``LocalCluster``, for snippets that run on both."""

from collections.abc import Iterator
from multiprocessing import resource_tracker
from typing import Any, NamedTuple

import gpucluster
import pytest
from distributed import LocalCluster

from tests.conftest import Site

ALIKE: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": "512 MiB"}


class Both(NamedTuple):
    ours: Any
    theirs: Any


@pytest.fixture(scope="session", autouse=True)
def _tracker_of_this_process() -> None:
    """Start the resource tracker that workers of a ``LocalCluster`` share, before a site, which would stop it."""
    resource_tracker.ensure_running()


@pytest.fixture(scope="module")
def both(shared_site: Site) -> Iterator[Both]:
    """Two clusters of two workers each; snippets restore this number."""
    assert shared_site
    with (
        LocalCluster(dashboard_address="127.0.0.1:0", **ALIKE) as theirs,
        gpucluster.create("local", name="both", idle_timeout_seconds=None, **ALIKE) as ours,
    ):
        yield Both(ours, theirs)
