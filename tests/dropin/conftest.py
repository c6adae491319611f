"""A handle of ours and a ``LocalCluster``, alike, for snippets that are run on both."""

from __future__ import annotations

from collections.abc import Iterator
from multiprocessing import resource_tracker
from typing import Any, NamedTuple

import gpucluster
import pytest
from distributed import LocalCluster

from tests.conftest import Site

ALIKE: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": "512 MiB"}


class Both(NamedTuple):
    """What a snippet is run on."""

    ours: Any
    theirs: Any


@pytest.fixture(scope="session", autouse=True)
def _tracker_of_this_process() -> None:
    """Start what the workers of a ``LocalCluster`` share before there is a site, which would end it with itself."""
    resource_tracker.ensure_running()


@pytest.fixture(scope="module")
def both(shared_site: Site) -> Iterator[Both]:
    """Two clusters of two workers, for snippets that leave them so."""
    assert shared_site
    with (
        LocalCluster(dashboard_address="127.0.0.1:0", **ALIKE) as theirs,
        gpucluster.create("local", name="both", idle_timeout_seconds=None, **ALIKE) as ours,
    ):
        yield Both(ours, theirs)
